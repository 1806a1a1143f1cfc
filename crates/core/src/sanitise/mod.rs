//! The one sanitiser: everything that came with mail passes here before a model or a person sees it.
//!
//! Pure functions without I/O. Input is hostile: every walk is iterative, every limit is a named constant, and the
//! work done grows with the size of the input and never with its square. What goes out of here holds no control
//! characters but `\n` and `\t`, no invisible or bidirectional formatting characters, and of an HTML body only
//! what a person would see ([`html`]). It doesn't protect from instructions that a person would see too; those
//! are marked as foreign ([`untrusted`]).

pub mod body;
pub mod charset;
pub mod header;
pub mod html;
pub mod invisible;
pub mod plain;
pub mod untrusted;
