//! A raw message (RFC 5322, RFC 2045 to 2049) to its decoded fields, its body as a person would read it, and its
//! attachments with the section numbers that IMAP gives them (RFC 9051, section 6.4.5).
//!
//! [`structure`] finds the parts in one pass over the bytes, [`header`] and [`address`] read fields, [`transfer`]
//! undoes transfer encodings, [`body`] chooses what to show. Malformed input never fails: what can't be read is
//! left out. Depth, parts, fields and sizes are bounded by named limits. A message within a message is an
//! attachment; [`parse`] reads its bytes when they are asked for.

pub mod address;
pub mod encoded_word;
pub mod header;
pub mod transfer;

mod body;
mod parse;
mod structure;

pub use body::{Body, TextPart};
pub use parse::{Attachment, ParsedMessage, parse};

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
