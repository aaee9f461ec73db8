//! The plain data every room speaks, and the one trait for where reports go.
//!
//! What was asked is a [`CrawlSpec`]; validated and resolved it is a [`CrawlPlan`] (of single pages, a
//! [`ScrapeSpec`] and a [`ScrapePlan`]). A worker gets a
//! [`Task`] and returns a [`PageReport`] with one [`Outcome`]. The crawl ends with a [`Summary`].
//! No room's logic lives here: only data, its stable spellings, and [`Sink`].

mod backoff;
mod crawl_plan;
mod crawl_spec;
mod fail_kind;
mod js_policy;
mod link_list;
mod notice;
mod outcome;
mod page_document;
mod page_report;
mod plan_checks;
mod plan_error;
mod profile;
mod scrape_plan;
mod seed_problem;
mod sink;
mod skip_reason;
mod stop_reason;
mod summary;
mod task;

pub use backoff::Backoff;
pub use crawl_plan::{
    CrawlPlan, Deadlines, FetchRules, Limits, LinkFilter, PathDelay, RobotsErrors, RobotsPolicy,
    SitemapPolicy,
};
pub use crawl_spec::CrawlSpec;
pub use fail_kind::{FailGroup, FailKind};
pub use js_policy::{JsPolicy, RenderNeed, RenderReason, Rendering};
pub use link_list::{LinkFacts, LinkList, ListedLink};
pub use notice::Notice;
pub use outcome::{Failure, Outcome};
pub use page_document::{DocumentRules, PageDocument};
pub use page_report::PageReport;
pub use plan_error::PlanError;
pub use profile::Profile;
pub use scrape_plan::{ScrapePlan, ScrapeSpec};
pub use seed_problem::SeedProblem;
pub use sink::{Sink, SinkError};
pub use skip_reason::{RefuseReason, SkipReason};
pub use stop_reason::StopReason;
pub use summary::Summary;
pub use task::{Found, Task};
