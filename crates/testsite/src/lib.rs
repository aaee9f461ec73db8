//! In-process websites for tests: large, realistic and hostile ones.
//!
//! A [`Server`] runs a [`Site`] on its own thread and records all requests:
//!
//! ```
//! use testsite::{SiteResponse, Pages, Server};
//!
//! let site = Pages::new()
//!     .links("/", &["/a", "/gone"])
//!     .html("/a", "<p>A page")
//!     .page("/busy", SiteResponse::status(503).header("Retry-After", "1"));
//! let server = Server::start(site);
//! println!("crawl {}", server.url("/"));
//! assert_eq!(server.count("/a"), 0);
//! ```
//!
//! The sites, from simple to hostile:
//!
//! - a closure `Fn(&Request) -> SiteResponse`, or [`Pages`], a table of responses;
//! - [`Folder`], files on disk;
//! - [`Graph`], any number of small computed pages, to test speed and completeness;
//! - [`Realistic`], 60 KB pages with 120 links in every spelling, and the exact list of these links;
//! - [`CachedSite`], any of these with its pages cached in memory, for benchmarks;
//! - [`hostile::Hostile`], more than 150 ways to misbehave, each with the outcome that a crawler must report;
//! - [`url_spaces`], sites of many kinds to measure trap detection with, and the pages of them that are wanted;
//! - [`spa`], single-page applications that need a browser, and pages that exhaust one.
//!
//! [`Server::start_tls`] serves any of them over TLS, with HTTP/2, GOAWAY and every kind of invalid certificate ([`Tls`]).
//! [`Proxy`] is a forward proxy. A [`SiteResponse`] is a well-formed response or a script of [`SocketStep`]s for the raw
//! socket. This crate does not depend on the crawler.
#![expect(
    clippy::unwrap_used,
    reason = "a test site that cannot start should fail the test"
)]

mod cached_site;
mod coding;
mod connection;
mod folder;
mod graph;
pub mod hostile;
mod pages;
mod private_hosts;
mod private_urls;
mod proxy;
mod pseudo_random;
mod realistic;
mod request;
mod request_log;
mod secure;
mod server;
mod site;
mod site_response;
mod socket_step;
pub mod spa;
mod spelling_sample;
mod tls;
pub mod url_spaces;

pub use cached_site::CachedSite;
pub use folder::Folder;
pub use graph::{Graph, GraphSite};
pub use pages::Pages;
pub use private_hosts::PRIVATE_HOSTS;
pub use private_urls::private_urls;
pub use proxy::{Proxy, ProxyRules};
pub use realistic::{
    DEAD_PATH as REALISTIC_DEAD_PATH, LINKS_PER_PAGE as REALISTIC_LINKS_PER_PAGE, Realistic,
};
pub use request::Request;
pub use request_log::{LogDetail, LoggedRequest};
pub use server::{Server, ServerSetup};
pub use site::Site;
pub use site_response::SiteResponse;
pub use socket_step::SocketStep;
pub use spelling_sample::SpellingSample;
pub use tls::Tls;
