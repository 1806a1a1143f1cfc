//! The plain types that backends fill and tools read, in the words of the IMAP, MIME and RFC 5322 standards.
//! No provider's wire form appears here, and nothing here does I/O.

mod attachment;
mod draft;
mod flags;
mod folder;
mod ids;
mod message;
mod page;
mod search;
mod time;

pub use attachment::{Attachment, AttachmentInfo, AttachmentRequest};
pub use countersign_send_policy::{Address, Origin};
pub use draft::{Delivered, DraftEdit, DraftView, NewDraft, Original, SentCopy, SentDraft, StoredDraft};
pub use flags::{Flag, FlagChange, Flags, Keyword};
pub use folder::{Destination, Folder, FolderScope, SpecialUse};
pub use ids::{DraftRef, FolderRef, InvalidRef, MessageRef, Section};
pub use message::{Body, Headers, Message, MessageRow, Moved, Thread};
pub use page::{Cursor, Gap, Listing, Window};
pub use search::Search;
pub use time::{Day, Timestamp};
