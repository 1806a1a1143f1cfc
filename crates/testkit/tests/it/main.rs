//! The kit is tested against the very servers and clients it starts.

mod services;
mod smtp;
