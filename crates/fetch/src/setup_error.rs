//! What can be wrong with the rules a fetcher is made from.

/// The fetcher cannot be set up. Says which rule, never its value: rules carry passwords.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchSetupError {
    /// The agent cannot be written into a header.
    #[error("the user agent cannot be sent as a header; use printable characters")]
    UserAgent,
    /// A header cannot be written.
    #[error("the header \"{0}\" cannot be sent; check its name and value")]
    Header(String),
    /// A proxy is not of the shape we speak to.
    #[error("proxy number {0} is not of the form http://[user:password@]host:port")]
    Proxy(usize),
}
