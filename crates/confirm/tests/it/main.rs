//! The gate as clients meet it: a small server that does something irreversible, driven by raw JSON-RPC lines over an
//! in-process pipe, so that nothing but this crate and rmcp's server decides what happens.
//!
//! The clock is paused and moves only when everything waits, so no test sleeps and none depends on how fast it runs.

// `cfg(test)` always holds here; it tells clippy that helpers may panic as tests may.
#[cfg(test)]
mod client;
#[cfg(test)]
mod eras;
#[cfg(test)]
#[expect(dead_code, reason = "its `main` is not called here")]
#[path = "../../examples/irreversible.rs"]
mod example;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod injective;
#[cfg(test)]
mod irreversible;
#[cfg(test)]
mod legacy;
#[cfg(test)]
mod modern;
#[cfg(test)]
mod notebook;
#[cfg(test)]
mod opened;
#[cfg(test)]
mod pantry;
#[cfg(test)]
mod payloads;
#[cfg(test)]
mod python_interop;
#[cfg(test)]
mod writes;
