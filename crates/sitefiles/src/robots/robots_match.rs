//! Whether a URL may be fetched, with the deciding line, to report why a page was skipped.

/// What robots.txt says about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsMatch<'a> {
    /// No rule matches.
    Allowed,
    /// This line allows it, for example `Allow: /public`.
    AllowedBy(&'a str),
    /// This line forbids it, for example `Disallow: /private`.
    DisallowedBy(&'a str),
}
