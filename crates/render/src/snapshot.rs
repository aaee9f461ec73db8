//! The document of a page, as its scripts left it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Cdp, CdpError, LONGEST_MESSAGE};

const SCRIPT: &str = include_str!("snapshot.js");

/// What a byte order mark says goes before what a header says: the document is UTF-8 now, whatever it came in.
const UTF8: &[u8] = "\u{feff}".as_bytes();

/// Longer than any caller waits: it is the caller who gives up.
const PATIENCE: Duration = Duration::from_hours(1);

/// A page's document.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// In UTF-8, with its mark.
    pub(crate) html: Vec<u8>,
    /// It was longer.
    pub(crate) cut: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: u64,
}

#[derive(Deserialize)]
struct Evaluated {
    result: Remote,
}

#[derive(Deserialize)]
struct Remote {
    value: Option<Taken>,
}

#[derive(Deserialize)]
struct Taken {
    html: String,
    cut: bool,
}

/// Takes it. `requested`: the address the document was asked for at, without its fragment.
pub(crate) async fn take(
    cdp: &Cdp,
    session: &str,
    frame: &str,
    requested: &str,
    longest: u64,
) -> Result<Snapshot, CdpError> {
    let session = Some(session);
    let world = json!({ "frameId": frame, "worldName": "crawler" });
    let world: World = cdp
        .call_within(PATIENCE, session, "Page.createIsolatedWorld", world)
        .await?;
    // Each unit of it may be written in six characters.
    let longest = longest.min(LONGEST_MESSAGE as u64 / 6 - 1_024);
    let expression = format!("{}({longest}, {})", SCRIPT.trim_end(), json!(requested));
    let asked = json!({
        "expression": expression,
        "contextId": world.execution_context_id,
        "returnByValue": true,
    });
    let evaluated: Evaluated = cdp
        .call_within(PATIENCE, session, "Runtime.evaluate", asked)
        .await?;
    let taken = evaluated.result.value.ok_or_else(|| {
        CdpError::Refused("Runtime.evaluate", "the page has no document".to_owned())
    })?;
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    let end = taken.html.floor_char_boundary(longest);
    let mut html = Vec::with_capacity(UTF8.len() + end);
    html.extend_from_slice(UTF8);
    html.extend_from_slice(&taken.html.as_bytes()[..end]);
    Ok(Snapshot {
        cut: taken.cut || end < taken.html.len(),
        html,
    })
}
