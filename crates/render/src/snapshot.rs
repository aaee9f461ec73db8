//! Takes the document of a page after its scripts have run.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Cdp, CdpError, MAX_MESSAGE_BYTES};

const SCRIPT: &str = include_str!("snapshot.js");

/// A byte order mark overrides the `Content-Type` header: the document is UTF-8 now, whatever its original encoding.
const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

/// Longer than any caller waits; the caller sets the actual limit.
const NO_TIMEOUT: Duration = Duration::from_hours(1);

/// The document of a page.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// UTF-8 with a byte order mark.
    pub(crate) html: Vec<u8>,
    /// Whether it was longer than the limit.
    pub(crate) truncated: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IsolatedWorld {
    execution_context_id: u64,
}

#[derive(Deserialize)]
struct Evaluated {
    result: RemoteObject,
}

#[derive(Deserialize)]
struct RemoteObject {
    value: Option<SnapshotValue>,
}

#[derive(Deserialize)]
struct SnapshotValue {
    html: String,
    truncated: bool,
}

/// Takes the document. `requested` is the URL the document was loaded from, without its fragment.
pub(crate) async fn take(
    cdp: &Cdp,
    session: &str,
    frame: &str,
    requested: &str,
    max_bytes: u64,
) -> Result<Snapshot, CdpError> {
    let session = Some(session);
    let world = json!({ "frameId": frame, "worldName": "crawler" });
    let world: IsolatedWorld = cdp
        .call_within(NO_TIMEOUT, session, "Page.createIsolatedWorld", world)
        .await?;
    // JSON may escape each UTF-16 unit as six characters.
    let max_bytes = max_bytes.min(MAX_MESSAGE_BYTES as u64 / 6 - 1_024);
    let expression = format!("{}({max_bytes}, {})", SCRIPT.trim_end(), json!(requested));
    let params = json!({
        "expression": expression,
        "contextId": world.execution_context_id,
        "returnByValue": true,
    });
    let evaluated: Evaluated = cdp
        .call_within(NO_TIMEOUT, session, "Runtime.evaluate", params)
        .await?;
    let value = evaluated.result.value.ok_or_else(|| {
        CdpError::Refused("Runtime.evaluate", "the page has no document".to_owned())
    })?;
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let end = value.html.floor_char_boundary(max_bytes);
    let mut html = Vec::with_capacity(UTF8_BOM.len() + end);
    html.extend_from_slice(UTF8_BOM);
    html.extend_from_slice(&value.html.as_bytes()[..end]);
    Ok(Snapshot {
        truncated: value.truncated || end < value.html.len(),
        html,
    })
}
