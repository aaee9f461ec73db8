//! How the crawl ended and what was not followed: the last call of the report.
//!
//! Counts are written as numbers; the viewer turns them into sentences in the reader's number format. Only the problem with the
//! seed is written as text.

use crawler_model::{RefuseReason, SeedProblem, Summary};

use crate::json_text::{push_in_script, push_number};

/// Writes the call and the end of the document.
pub(super) fn push_ending(out: &mut Vec<u8>, summary: &Summary, edges_left_out: u64) {
    out.extend_from_slice(b"<script>finished({\"stop\":");
    push_in_script(out, summary.stop.as_str());
    out.extend_from_slice(b",\"message\":");
    push_in_script(out, &summary.stop.to_string());
    if let Some(problem) = &summary.seed_problem {
        out.extend_from_slice(b",\"seedProblem\":");
        push_in_script(out, &seed_sentence(problem));
    }
    let refused = |reason| summary.refused.get(&reason).copied().unwrap_or_default();
    let elapsed = u64::try_from(summary.elapsed.as_millis()).unwrap_or(u64::MAX);
    for (name, number) in [
        ("elapsed", elapsed),
        ("left", summary.left),
        ("retries", summary.retries),
        ("bytes", summary.bytes),
        ("tooDeep", refused(RefuseReason::TooDeep)),
        ("traps", summary.traps()),
        (
            "excluded",
            refused(RefuseReason::Excluded)
                + refused(RefuseReason::NotIncluded)
                + refused(RefuseReason::BlockedExtension)
                + refused(RefuseReason::Nofollow),
        ),
        ("edgesLeftOut", edges_left_out),
    ] {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        push_number(out, number);
    }
    out.extend_from_slice(b"})</script>\n</body>\n</html>\n");
}

/// The problem with the seed as a sentence. A failed seed is not named again: its URL is the title of the report.
fn seed_sentence(problem: &SeedProblem) -> String {
    if let SeedProblem::Failed { message, .. } = problem {
        return format!("The start page could not be fetched: {message}");
    }
    let message = problem.to_string();
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
