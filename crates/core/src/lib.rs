//! Placeholder while the workspace warms.
pub mod sanitise;
