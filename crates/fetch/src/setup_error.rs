//! Errors in the rules of a fetcher.

/// The fetcher cannot be created. Names the rule but never its value, which may hold a password.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchSetupError {
    /// The user agent is not a valid header value.
    #[error("the user agent cannot be sent as a header; use printable characters")]
    UserAgent,
    /// A header has an invalid name or value.
    #[error("the header \"{0}\" cannot be sent; check its name and value")]
    Header(String),
    /// A proxy URL is invalid; the number counts from 1.
    #[error("proxy number {0} is not of the form http://[user:password@]host:port")]
    Proxy(usize),
}
