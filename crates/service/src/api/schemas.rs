//! Parts of the description that types alone do not tell.

use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    Array, ArrayBuilder, KnownFormat, Object, ObjectBuilder, SchemaFormat, SchemaType, Type,
};

/// An absolute http or https URL.
pub(super) fn url() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("uri".to_owned())))
        .description(Some("An absolute http or https URL."))
        .examples([json!("https://example.org/")])
        .build()
}

/// At least one of them.
pub(super) fn urls() -> Array {
    ArrayBuilder::new()
        .items(url())
        .min_items(Some(1))
        .description(Some(
            "The pages: absolute http or https URLs. Those that are none are listed in the answer; the rest run.",
        ))
        .build()
}

/// Regular expressions.
fn patterns(about: &str) -> Array {
    let pattern = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Regex)))
        .max_length(Some(1_000));
    ArrayBuilder::new()
        .items(pattern)
        .max_items(Some(100))
        .description(Some(about))
        .build()
}

pub(super) fn include() -> Array {
    patterns("Follow only URLs that match one of these regular expressions.")
}

pub(super) fn exclude() -> Array {
    patterns(
        "Never follow URLs that match one of these regular expressions; stronger than `include`.",
    )
}

/// What `use_js` may be.
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
            "Whether pages are rendered in a browser: false, true, or \"auto\" for those that need it. Left out or \
             null: as `browser.use_js_default` says. Where the service does not render: `use_js_unavailable`.",
        ))
        .build()
}

/// A server-sent event.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "events are written by axum; this is their shape for the description"
)]
pub(super) struct LiveEvent {
    /// `page`, `progress` or `finished`.
    #[schema(pattern = "^(page|progress|finished)$")]
    event: String,
    /// JSON: of `page` a task as in `/tasks`, else the job as in `/v1/jobs/{id}`.
    data: String,
    /// Of `page`: its number in the job. Send the last one as `Last-Event-ID` to go on from there.
    id: Option<String>,
}
