//! Core's integration tests, in one binary: linking is what costs.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod forbidden_moves;
#[cfg(test)]
mod moves_held_by_clippy;
