//! Attachments: what they are ([`kind`]), their text ([`text`], [`pdf`]), saving them ([`jail`]), and the other way round
//! what goes out ([`outgoing`]) and under which type ([`media_type`]).
//!
//! The name and the media type are the sender's words and the bytes are hostile. A kind is believed only where
//! what is declared and what the bytes are agree; text is made harmless like any other; a file is written only
//! below a directory that the owner named, under a name that is only a name.

mod content;
pub mod jail;
pub mod kind;
pub mod media_type;
pub mod outgoing;
pub mod pdf;
pub mod text;

pub use content::{Content, read};
