//! Generates the OpenAPI 3.1 description from the handlers and their types.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{Modify, OpenApi};

use super::problem::Problem;
use super::{create, events, export, health, jobs, results, scrape, usage};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "crawler",
        description = "Turns web pages into Markdown, HTML or text: single pages immediately, lists of pages and whole sites as jobs.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        scrape::scrape, create::batch, create::crawl, create::map, jobs::list, jobs::show, jobs::cancel,
        results::documents, results::map, results::tasks, export::export, events::events, health::healthz,
        health::readyz, health::api_metrics, usage::usage,
    ),
    components(schemas(Problem)),
    tags(
        (name = "scrape", description = "Scrape a page"),
        (name = "jobs", description = "Jobs"),
        (name = "results", description = "Results"),
        (name = "operations", description = "Operations"),
    ),
    security(("key" = [])),
    modifiers(&AllOperations)
)]
struct ApiDescription;

/// Adds what applies to all operations: authentication and error responses.
struct AllOperations;

impl Modify for AllOperations {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "An API key, from server.api_keys or `crawler keys`; not needed if there are none",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(scheme));
        for (path, operations) in &mut openapi.paths.paths {
            let one_job = path.contains("{id}");
            let is_open = path == "/healthz";
            let all = [
                (&mut operations.get, false),
                (&mut operations.post, true),
                (&mut operations.delete, false),
            ];
            for (operation, has_body) in all {
                let Some(operation) = operation else { continue };
                let mut problems = Vec::new();
                // The first description of a status is used.
                if has_body && operation.responses.responses.contains_key("202") {
                    problems.extend(JOB_CREATION_PROBLEMS);
                }
                if path == "/v1/crawl" || path == "/v1/map" {
                    problems.push(("403", SITE_REFUSALS));
                }
                if !is_open {
                    problems.extend([
                        ("401", "`unauthorized`: the API key is missing or not valid"),
                        (
                            "403",
                            "`host_refused`: without API keys only requests from this machine are allowed; `origin_refused`: the request was made by a web page of another origin",
                        ),
                        (
                            "429",
                            "`too_many_wrong_keys`: the client sent too many API keys that are not valid; see `Retry-After`",
                        ),
                        (
                            "503",
                            "`store_unavailable`, `not_ready`, `overloaded`, `timeout`; see `Retry-After`",
                        ),
                    ]);
                }
                if path.starts_with("/v1/") {
                    problems.push(("422", "A field or parameter is not valid; see `field`"));
                }
                if one_job {
                    problems.push(("404", "`job_not_found`"));
                }
                if has_body {
                    problems.extend([
                        ("400", "`invalid_json`"),
                        ("408", "`request_timeout`: timed out reading the body"),
                        ("413", "`body_too_large`"),
                        ("415", "`unsupported_media_type`"),
                    ]);
                }
                problems.push(("500", "`internal`: an error in the service"));
                for (status, message) in problems {
                    let responses = &mut operation.responses.responses;
                    responses
                        .entry(status.to_owned())
                        .or_insert_with(|| RefOr::T(problem(message)));
                }
            }
        }
    }
}

/// Why requests for a site are refused.
const SITE_REFUSALS: &str = "`address_refused`: the URL is not allowed; `robots_required`: `robots` must not be `ignore`; `host_refused`: without API keys only requests from this machine are allowed; `origin_refused`: the request was made by a web page of another origin";

/// Error responses of requests that create a job.
const JOB_CREATION_PROBLEMS: [(&str, &str); 3] = [
    (
        "429",
        "`quota_exceeded`: a quota of the API key is used up, see `quota`; `too_many_requests`: it has too many requests of this kind in progress; `too_many_wrong_keys`; see `Retry-After`",
    ),
    (
        "409",
        "`idempotency_key_reused`: the key was already used for a different request",
    ),
    (
        "503",
        "`store_unavailable`, `overloaded`, `timeout`, `busy`; see `Retry-After`. The job may have been created: see `detail`",
    ),
];

fn problem(message: &str) -> Response {
    let schema = Ref::from_schema_name("Problem");
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new()
        .description(message)
        .content("application/problem+json", content)
        .build()
}

/// Returns the description, as served and as stored in `docs/openapi.json`.
pub fn openapi_json() -> String {
    let description = ApiDescription::openapi();
    // Serializing a tree of strings cannot fail.
    let mut text = description.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}
