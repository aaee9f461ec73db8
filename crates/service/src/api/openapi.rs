//! The API described by itself: OpenAPI 3.1, from the handlers and their types.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{Modify, OpenApi};

use super::problem::Problem;
use super::{create, events, export, health, jobs, lists, scrape};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "crawler",
        description = "Pages as markdown, html or text: one at once, many as jobs.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        scrape::scrape, create::batch, create::crawl, create::map, jobs::list, jobs::show, jobs::cancel,
        lists::documents, lists::map, lists::tasks, export::export, events::events, health::healthz,
        health::readyz, health::metrics,
    ),
    components(schemas(Problem)),
    tags(
        (name = "scrape", description = "One page, at once"),
        (name = "jobs", description = "Work that is kept"),
        (name = "results", description = "What jobs gave"),
        (name = "operations", description = "For those who run it"),
    ),
    security(("key" = [])),
    modifiers(&Rest)
)]
struct Described;

/// What is true of every operation: how callers show who they are, and how problems look.
struct Rest;

impl Modify for Rest {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("One of server.api_keys; without any, none is needed"))
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
                if !is_open {
                    problems.extend([
                        ("401", "`unauthorized`: no key, or not one of ours"),
                        (
                            "403",
                            "`host_refused`: without keys only this machine is answered",
                        ),
                        (
                            "503",
                            "`store_unavailable`, `not_ready`, `timeout`; see `Retry-After`",
                        ),
                    ]);
                }
                if path.starts_with("/v1/") {
                    problems.push((
                        "422",
                        "A field or parameter that cannot be used: see `field`",
                    ));
                }
                if one_job {
                    problems.push(("404", "`job_not_found`"));
                }
                if has_body {
                    problems.extend([
                        ("400", "`invalid_json`"),
                        ("408", "`request_timeout`: the body took too long"),
                        ("413", "`body_too_large`"),
                        ("415", "`unsupported_media_type`"),
                    ]);
                }
                problems.push(("500", "`internal`: a fault of ours"));
                for (status, words) in problems {
                    let answers = &mut operation.responses.responses;
                    answers
                        .entry(status.to_owned())
                        .or_insert_with(|| RefOr::T(problem(words)));
                }
            }
        }
    }
}

fn problem(words: &str) -> Response {
    let schema = Ref::from_schema_name("Problem");
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new()
        .description(words)
        .content("application/problem+json", content)
        .build()
}

/// The description, as it is served and kept in the docs.
pub fn openapi_json() -> String {
    let described = Described::openapi();
    // A tree of strings: there is nothing in it that could not be written.
    let mut text = described.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}
