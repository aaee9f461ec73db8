//! A page as a JSON object, shared by `json` and `ndjson`.
//!
//! Fields that are always present come first and may be null; `truncated`, `rendered` with `render_reason`,
//! `omitted_links`, `skipped` and `error` are written only if they apply. `bytes` is the number of bytes transferred, like the
//! summary's total.

use crawler_model::{LinkFilter, Outcome, PageReport, Rendering, SinkError};

use crate::Target;
use crate::json_text::has_escapes;
use crate::printed_links::printed_links;

/// Writes the object on one line, without a line break. `url_field` is the name of the field for the URL.
pub(crate) fn write_page_object(
    target: &mut Target,
    url_field: &str,
    report: &PageReport,
    filter: LinkFilter,
) -> Result<(), SinkError> {
    target
        .text("{\"")
        .text(url_field)
        .text("\":")
        .json(report.url.as_str())
        .text(",\"links\":[");
    // Checked together: single links are too short for a vectorized scan to pay off.
    let plain = !has_escapes(report.links.text().as_bytes());
    for (index, (link, _)) in printed_links(&report.links, filter).enumerate() {
        if index > 0 {
            target.text(",");
        }
        if plain {
            target.plain_json(link);
        } else {
            target.json(link);
        }
        target.write_if_full()?;
    }
    target.text("],\"status\":");
    match report.status {
        Some(status) => target.number(status),
        None => target.text("null"),
    };
    target.text(",\"depth\":").number(report.depth);
    target.text(",\"outcome\":").json(report.outcome.as_str());
    target.text(",\"content_type\":");
    json_or_null(target, report.content_type.as_deref());
    target.text(",\"bytes\":").number(report.wire_bytes);
    let ms = u64::try_from(report.took().as_millis()).unwrap_or(u64::MAX);
    target.text(",\"ms\":").number(ms).text(",\"via\":");
    json_or_null(target, report.via.as_deref());
    target.text(",\"found\":").json(report.found.as_str());
    target.text(",\"attempts\":").number(report.attempt);
    target.text(",\"redirect_to\":");
    match &report.outcome {
        Outcome::Redirected { to } => target.json(to.as_str()),
        _ => target.text("null"),
    };
    if report.truncated {
        target.text(",\"truncated\":true");
    }
    write_rendering(target, report.rendering);
    if report.links.omitted() > 0 {
        target
            .text(",\"omitted_links\":")
            .number(report.links.omitted());
    }
    if let Outcome::Skipped(reason) = &report.outcome {
        target.text(",\"skipped\":").json(reason.as_str());
        target.text(",\"skip_reason\":").json(&reason.to_string());
    }
    if let (Some(text), Some(failure)) = (report.error_text(), report.outcome.failure()) {
        target.text(",\"error\":").json(&text);
        target.text(",\"error_kind\":").json(failure.kind.as_str());
    }
    target.text("}");
    target.write_if_full()
}

/// Writes `,"rendered":…,"render_reason":…` if rendering was decided, and `,"render_timed_out":true` if it applies. Also used by the map format.
pub(crate) fn write_rendering(target: &mut Target, rendering: Option<Rendering>) {
    if let Some(rendering) = rendering {
        let rendered = if rendering.rendered { "true" } else { "false" };
        target.text(",\"rendered\":").text(rendered);
        target
            .text(",\"render_reason\":")
            .json(rendering.reason.as_str());
        if rendering.timed_out {
            target.text(",\"render_timed_out\":true");
        }
    }
}

fn json_or_null(target: &mut Target, text: Option<&str>) {
    match text {
        Some(text) => target.json(text),
        None => target.text("null"),
    };
}
