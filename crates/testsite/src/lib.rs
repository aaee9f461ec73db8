//! Websites in a process, for tests: a big one, a realistic one, a hostile one.
//!
//! A [`Server`] runs a [`Site`] on a thread of its own and remembers what was asked:
//!
//! ```
//! use testsite::{Answer, Pages, Server};
//!
//! let site = Pages::new()
//!     .links("/", &["/a", "/gone"])
//!     .html("/a", "<p>A page")
//!     .page("/busy", Answer::status(503).header("Retry-After", "1"));
//! let server = Server::start(site);
//! println!("crawl {}", server.url("/"));
//! assert_eq!(server.count("/a"), 0);
//! ```
//!
//! The sites, from tame to wild:
//!
//! - a closure `Fn(&Request) -> Answer`, or [`Pages`], a table of answers;
//! - [`Folder`], files on disk;
//! - [`Graph`], any number of small pages that are only arithmetic, for speed and completeness;
//! - [`Realistic`], 60 KB pages with 120 links in every spelling, and the exact list of them;
//! - [`Kept`], any of these with its pages written once, for benchmarks;
//! - [`hostile::Hostile`], more than 150 ways to misbehave, each with the outcome that a crawler
//!   must report;
//! - [`spa`], applications that are nothing until their scripts ran, and pages that wear a browser out.
//!
//! [`Server::start_tls`] serves any of them over TLS, with HTTP/2, GOAWAY and every kind of bad
//! certificate ([`Tls`]); a [`Proxy`] stands between. An [`Answer`] is a well-formed response or a
//! script of [`Step`]s for the raw socket. Nothing here knows the crawler.
#![expect(
    clippy::unwrap_used,
    reason = "a test site that cannot start should stop the test where it stands"
)]

mod answer;
mod chance;
mod coding;
mod connection;
mod folder;
mod graph;
pub mod hostile;
mod journal;
mod kept;
mod pages;
mod private_hosts;
mod proxy;
mod realistic;
mod request;
mod secure;
mod server;
mod site;
pub mod spa;
mod step;
mod tls;

pub use answer::Answer;
pub use folder::Folder;
pub use graph::{Graph, GraphSite};
pub use journal::{Hit, Keep};
pub use kept::Kept;
pub use pages::Pages;
pub use private_hosts::PRIVATE_HOSTS;
pub use proxy::{Proxy, ProxyRules};
pub use realistic::{DEAD as REALISTIC_DEAD, LINKS as REALISTIC_LINKS, Realistic};
pub use request::Request;
pub use server::{Server, Setup};
pub use site::Site;
pub use step::Step;
pub use tls::Tls;
