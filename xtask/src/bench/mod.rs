//! `cargo xtask bench`: measurements of the built servers as whole processes.

mod round;
pub(crate) mod start;
mod stats;
