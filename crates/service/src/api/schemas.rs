//! OpenAPI schemas that cannot be derived from the types.

use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    Array, ArrayBuilder, KnownFormat, Object, ObjectBuilder, SchemaFormat, SchemaType, Type,
};

use super::requests::{MAX_PATTERN_BYTES, MAX_PATTERNS};

/// A URL.
pub(super) fn url() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("uri".to_owned())))
        .description(Some("An absolute http or https URL."))
        .examples([json!("https://example.org/")])
        .build()
}

/// A list of at least one URL.
pub(super) fn urls() -> Array {
    ArrayBuilder::new()
        .items(url())
        .min_items(Some(1))
        .description(Some(
            "URLs of the pages, absolute, http or https. Invalid ones are listed in the response; the others are scraped.",
        ))
        .build()
}

/// A list of regular expressions.
fn patterns(about: &str) -> Array {
    let pattern = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Regex)))
        .max_length(Some(MAX_PATTERN_BYTES));
    ArrayBuilder::new()
        .items(pattern)
        .max_items(Some(MAX_PATTERNS))
        .description(Some(about))
        .build()
}

pub(super) fn include() -> Array {
    patterns(
        "Only follow URLs that match one of these regular expressions. They are matched without Unicode classes, and are at most 10,000 bytes in total; very complex ones are refused.",
    )
}

pub(super) fn exclude() -> Array {
    patterns(
        "Do not follow URLs that match one of these regular expressions; takes precedence over `include`. The limits of `include` apply.",
    )
}

/// The values of `use_js`.
pub(super) fn use_js() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([
            Type::Boolean,
            Type::String,
            Type::Null,
        ]))
        .enum_values(Some([
            json!(false),
            json!(true),
            json!("auto"),
            json!(null),
        ]))
        .description(Some(
            "Whether to render pages in a browser: false, true, or \"auto\" to render only pages that need it. Default: \
             `browser.use_js_default`. If rendering is disabled, the request fails with `use_js_unavailable`.",
        ))
        .build()
}

/// A server-sent event.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "axum writes the events; this type only describes them"
)]
pub(super) struct LiveEvent {
    /// `page`, `progress` or `finished`.
    #[schema(pattern = "^(page|progress|finished)$")]
    event: String,
    /// JSON: for `page` the task as in `/v1/jobs/{id}/tasks`, otherwise the job as in `/v1/jobs/{id}`.
    data: String,
    /// For `page`: its sequence number in the job. Send the last one as `Last-Event-ID` to resume after it.
    id: Option<String>,
}
