//! Whole worlds against the built program: every hostile behaviour at once, hosts that throttle, bombs,
//! a real handbook beside wget, a site of 200,000 pages, realistic pages, and chance. What a server was
//! asked for is the oracle wherever it can be; what the program says about itself comes second.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod big;
mod bombs;
mod crawl;
mod handbook;
mod hostile;
mod page;
mod randomised;
mod realistic;
mod room;
mod throttled;
