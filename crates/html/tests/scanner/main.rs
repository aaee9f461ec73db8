//! The scanner through the public API: rules as tables, a real parser as oracle, charsets against the public
//! test data, and linear time.

mod agreement;
mod charsets;
mod html5lib;
mod linear;
mod link_tags;
mod openers;
mod oracle;
mod random_pages;
mod references;
mod rules;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;
mod svg_rules;
