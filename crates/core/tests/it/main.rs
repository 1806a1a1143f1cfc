//! Core's integration tests, in one binary: linking is what costs.

#[cfg(test)]
mod attachments_out;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod confirming;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod drafting;
#[cfg(test)]
mod forbidden_moves;
#[cfg(test)]
mod moves_held_by_clippy;
#[cfg(test)]
mod organising;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod sending;
#[cfg(test)]
mod sending_new;
#[cfg(test)]
mod server;
#[cfg(test)]
mod talk;
#[cfg(test)]
mod traps;
#[cfg(test)]
mod watched;
