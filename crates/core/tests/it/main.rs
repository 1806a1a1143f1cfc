//! Core's integration tests, in one binary: linking is what costs.

#[cfg(test)]
mod conformance;
