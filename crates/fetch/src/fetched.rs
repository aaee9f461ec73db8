//! An answer, as far as it was read.

use std::time::Duration;

use bytes::Bytes;
use model::Rendering;

/// An answer: its status, the headers a crawler acts on, and its body as far as it was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The content type as sent; the first, if there are several.
    pub content_type: Option<String>,
    /// A redirect's target as sent: UTF-8, or Latin-1 where it is not.
    pub location: Option<String>,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Body,
    /// Bytes of body taken from the wire, before decoding.
    pub wire_bytes: u64,
    /// The body is not all of it: it was longer than we read, or its coding broke off.
    pub truncated: bool,
    /// A script sent the reader elsewhere: `location` says where, and there is no body.
    pub moved_by_script: bool,
    /// Whether a browser had part in it, and why, where that was a question.
    pub rendering: Option<Rendering>,
    /// From the request to the last byte read.
    pub elapsed: Duration,
}

impl Fetched {
    /// Whether the answer is elsewhere, by its status or because a script said so.
    pub fn is_redirect(&self) -> bool {
        self.moved_by_script || matches!(self.status, 300..=303 | 305..=308)
    }
}

/// A body, as far as it was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// HTML by its type or, where none is named, by its first bytes.
    Html(Bytes),
    /// A file's bytes, whatever their type.
    File(Bytes),
    /// Not wanted, and not read.
    Unread,
}
