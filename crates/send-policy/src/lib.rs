//! Placeholder while the workspace warms.
