//! The kit is tested against the very servers and clients it starts.

mod clients;
mod faults;
mod mcp;
mod services;
mod smtp;
