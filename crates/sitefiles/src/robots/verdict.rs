//! The answer for one URL, with the line that decided, so that a skipped page can say why.

/// What robots.txt says about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsVerdict<'a> {
    /// No rule speaks of it.
    Allowed,
    /// This line allows it, for example `Allow: /public`.
    AllowedBy(&'a str),
    /// This line forbids it, for example `Disallow: /private`.
    DisallowedBy(&'a str),
}
