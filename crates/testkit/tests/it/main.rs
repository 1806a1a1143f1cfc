//! The kit is tested against the very servers and clients it starts.

mod mcp;
mod services;
mod smtp;
