//! What a user can do about a problem.

/// What a user can do about a problem. Each front end says it in its own terms: a flag, a configuration key, a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Ignore robots.txt.
    IgnoreRobots,
    /// Start from the redirect's target, or widen the scope to the seed's domain.
    WidenScope,
    /// Follow URLs that look like crawler traps.
    FollowTraps,
    /// Follow links as well as sitemaps.
    FollowLinks,
}
