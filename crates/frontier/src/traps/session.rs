//! Session ids in URLs: the same page under a new URL on every visit.

use crawler_weburl::UrlRef;

use super::known_parameters::is_session;

/// The URL without its session id, or `None` when it has none.
pub(super) fn without_session(url: UrlRef<'_>) -> Option<String> {
    // True of nearly every URL, and needs no allocation.
    if url.query().is_none() && !url.path().contains([';', '(']) {
        return None;
    }
    let (path, path_changed) = without_session_in_path(url.path());
    let (query, query_changed) = match url.query() {
        Some(query) => without_session_in_query(query),
        None => (String::new(), false),
    };
    (path_changed || query_changed).then(|| format!("{}{path}{query}", url.origin_text()))
}

fn without_session_in_path(path: &str) -> (String, bool) {
    let mut changed = false;
    let mut kept = String::with_capacity(path.len());
    for segment in path.split_inclusive('/') {
        // ASP.NET puts it in a segment of its own: /(S(lit3py55t21z5v55vlm25s55))/
        if segment.starts_with("(S(") && segment.trim_end_matches('/').ends_with("))") {
            changed = true;
            continue;
        }
        let (segment, slash) = match segment.strip_suffix('/') {
            Some(segment) => (segment, "/"),
            None => (segment, ""),
        };
        for (at, part) in segment.split(';').enumerate() {
            if at > 0 && is_session(part) {
                changed = true;
                continue;
            }
            if at > 0 {
                kept.push(';');
            }
            kept.push_str(part);
        }
        kept.push_str(slash);
    }
    (kept, changed)
}

fn without_session_in_query(query: &str) -> (String, bool) {
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_session(pair)).collect();
    let changed = kept.len() < query.split('&').count();
    let text = if kept.is_empty() {
        String::new()
    } else {
        format!("?{}", kept.join("&"))
    };
    (text, changed)
}
