//! Data types shared by all crates, the rules for talking to websites, and the [`Sink`] trait.
//!
//! A user's request is a [`CrawlSpec`]; validated and resolved it is a [`CrawlPlan`] (for single pages, a
//! [`RequestSpec`] and a [`ScrapePlan`]). A worker gets a [`Task`] and returns a [`PageReport`] with one
//! [`Outcome`]. The crawl ends with a [`Summary`].

pub mod calendar;
pub mod site_rules;

mod backoff;
mod count_noun;
mod crawl_plan;
mod crawl_rules;
mod crawl_spec;
mod depth_limit;
mod document_meta;
mod fail_kind;
mod js_policy;
mod link_list;
mod lock;
mod notice;
mod outcome;
mod page_budgets;
mod page_document;
mod page_report;
mod plan_checks;
mod plan_error;
mod profile;
mod remedy;
mod request_plan;
mod request_spec;
mod scrape_plan;
mod seed_problem;
mod sink;
mod skip_reason;
mod stop_reason;
mod summary;
mod task;
mod text_sketch;
mod timestamp;
mod units;

pub use backoff::Backoff;
pub use count_noun::{counted, grouped};
pub use crawl_plan::CrawlPlan;
pub use crawl_rules::{
    CrawlDelay, CrawlRules, Deadlines, FetchRules, Limits, LinkFilter, PathDelay, RobotsErrors,
    RobotsPolicy, SitemapPolicy,
};
pub use crawl_spec::CrawlSpec;
pub use depth_limit::DepthLimit;
pub use document_meta::{DocumentMeta, HtmlMeta};
pub use fail_kind::{FailGroup, FailKind};
pub use js_policy::{JsPolicy, NAV_TIMEOUTS, RenderNeed, RenderReason, Rendering};
pub use link_list::{LinkFacts, LinkList, ListedLink};
pub use lock::lock;
pub use notice::Notice;
pub use outcome::{Failure, Outcome};
pub use page_budgets::{PageBudget, PageBudgets};
pub use page_document::{DocumentRules, PageDocument};
pub use page_report::PageReport;
pub use plan_error::{PlanError, PlanField};
pub use profile::Profile;
pub use remedy::Remedy;
pub use request_plan::RequestPlan;
pub use request_spec::{DEFAULT_USER_AGENT, RequestSpec};
pub use scrape_plan::ScrapePlan;
pub use seed_problem::SeedProblem;
pub use sink::{Sink, SinkError};
pub use skip_reason::{RefuseReason, SkipReason};
pub use stop_reason::StopReason;
pub use summary::Summary;
pub use task::{Discovery, Task};
pub use text_sketch::{MAX_PHRASES, TextSketch, UrlFree};
pub use timestamp::{rfc3339_millis, rfc3339_seconds};
pub use units::{
    DURATION_FORMAT, SIZE_FORMAT, bytes_text, duration_text, parse_bytes, parse_duration,
};
