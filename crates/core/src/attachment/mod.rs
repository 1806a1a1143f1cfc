//! Attachments: what they are ([`kind`]), their text ([`text`], [`pdf`]), and saving them ([`jail`]).
//!
//! The name and the media type are the sender's words and the bytes are hostile. A kind is believed only where
//! what is declared and what the bytes are agree; text is made harmless like any other; a file is written only
//! below a directory that the owner named, under a name that is only a name.

mod content;
pub mod jail;
pub mod kind;
pub mod pdf;
pub mod text;

pub use content::{Content, read};
