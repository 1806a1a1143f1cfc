//! Drafts as bytes: what is stored in Drafts, what goes out, and the way back (RFC 5322, RFC 2045 to 2049, RFC 2183,
//! RFC 2387).
//!
//! The bytes are made from [`DraftFields`] alone: a header or part that has no place there isn't sent, whatever the
//! draft held. The fields come from drafts that other programs may have written, so every one of them is checked here
//! once more: none can end its line, and what can't be written so that it reads back as it was is refused.

mod build;
mod header;
mod parsed;
mod part;
mod read;

#[cfg(test)]
mod tests;

pub use build::{BuildError, build, build_fields, fields, new_message_id};
pub use parsed::{Parsed, parse};
pub(crate) use read::identity;
pub use read::{draft_attachment, draft_fields};

use std::borrow::Cow;

/// A text with its line ends as `\n`.
pub fn line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A body part's text in the form in which it is compared and written: `\n` line ends, none at its end. Transports add
/// and drop line ends there, and decoders drop a byte order mark at its beginning.
fn body_text(text: &str) -> String {
    line_feeds(text).trim_start_matches('\u{feff}').trim_end_matches('\n').to_owned()
}
