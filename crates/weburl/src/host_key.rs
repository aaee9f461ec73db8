//! The host of a URL, for politeness, and its origin, for robots.txt and credentials.

use std::fmt;
use std::sync::Arc;

use crawler_public_suffix::registrable_domain;

/// The politeness key: a host name, whatever the scheme and port.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostKey(Arc<str>);

impl HostKey {
    /// From a host in normal form.
    pub fn new(host: &str) -> Self {
        Self(host.into())
    }

    /// The host name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The registrable domain of the host name; an address or a single label is its own.
    pub fn registrable_domain(&self) -> &str {
        registrable_domain(&self.0)
    }
}

/// Scheme, host and port, as text without a trailing slash.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(Arc<str>);

impl Origin {
    /// From the text before a normalized URL's path.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// `https://example.org`
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
