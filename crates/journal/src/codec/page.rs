//! A page's report, without the fields of its task.

use std::time::Duration;

use crawler_model::{
    FailKind, Failure, MAX_PHRASES, Outcome, PageReport, RefuseReason, RenderReason, Rendering,
    SkipReason, Task, TextSketch, UrlFree,
};
use crawler_weburl::KeyPolicy;

use super::links::{read_links, write_links};
use super::{BytesIn, BytesOut, Damaged};

/// Writes a report without its task, and without its document: a command-line crawl has none.
pub(crate) fn write_page(out: &mut BytesOut, report: &PageReport) {
    write_outcome(out, &report.outcome);
    out.number(report.status.map_or(0, u64::from));
    out.option(report.content_type.as_deref(), BytesOut::text);
    out.number(report.wire_bytes);
    out.number(report.body_bytes);
    out.byte(u8::from(report.truncated));
    write_rendering(out, report.rendering);
    out.duration(report.elapsed);
    out.option(report.retry_after, BytesOut::duration);
    write_links(out, &report.links);
    out.option(report.text.as_deref(), write_text);
}

pub(crate) fn read_page(
    bytes: &mut BytesIn<'_>,
    task: Task,
    keys: &KeyPolicy,
) -> Result<PageReport, Damaged> {
    let outcome = read_outcome(bytes)?;
    let mut report = PageReport::new(task, outcome);
    report.status = read_status(bytes)?;
    report.content_type = bytes.option(|bytes| bytes.text().map(str::to_owned))?;
    report.wire_bytes = bytes.number()?;
    report.body_bytes = bytes.number()?;
    report.truncated = bytes.byte()? != 0;
    report.rendering = read_rendering(bytes)?;
    report.elapsed = bytes.duration()?;
    report.retry_after = bytes.option(BytesIn::duration)?;
    report.links = read_links(bytes, keys)?;
    report.text = bytes.option(read_text)?.map(Box::new);
    Ok(report)
}

/// The phrases are sorted: each is written as its distance from the one before.
fn write_text(out: &mut BytesOut, text: &TextSketch) {
    out.number(u64::from(text.words));
    for hash in [text.exact, text.content] {
        out.number(hash.all);
        out.number(hash.rest);
    }
    out.number(u64::from(text.distinct));
    out.number(text.phrases.len() as u64);
    let mut last = 0;
    for phrase in &text.phrases {
        out.number(u64::from(phrase.wrapping_sub(last)));
        last = *phrase;
    }
}

fn read_text(bytes: &mut BytesIn<'_>) -> Result<TextSketch, Damaged> {
    let short = |number: u64| u32::try_from(number).map_err(|_| Damaged("a sketch"));
    let words = short(bytes.number()?)?;
    let (exact, content) = (read_hashes(bytes)?, read_hashes(bytes)?);
    let distinct = short(bytes.number()?)?;
    let count = bytes.count()?;
    let mut phrases = Vec::with_capacity(count.min(MAX_PHRASES));
    let mut last = 0_u32;
    for _ in 0..count {
        last = last.wrapping_add(short(bytes.number()?)?);
        phrases.push(last);
    }
    Ok(TextSketch {
        words,
        exact,
        content,
        phrases,
        distinct,
    })
}

fn read_hashes(bytes: &mut BytesIn<'_>) -> Result<UrlFree, Damaged> {
    let all = bytes.number()?;
    let rest = bytes.number()?;
    Ok(UrlFree { all, rest })
}

/// 0 stands for none.
pub(super) fn read_status(bytes: &mut BytesIn<'_>) -> Result<Option<u16>, Damaged> {
    let status = u16::try_from(bytes.number()?).map_err(|_| Damaged("a status"))?;
    Ok((status != 0).then_some(status))
}

fn write_outcome(out: &mut BytesOut, outcome: &Outcome) {
    match outcome {
        Outcome::Fetched { html: true } => out.byte(0),
        Outcome::Fetched { html: false } => out.byte(1),
        Outcome::Redirected { to } => {
            out.byte(2);
            out.text(to.as_str());
        }
        Outcome::Failed(failure) => {
            out.byte(3);
            write_failure(out, failure);
        }
        Outcome::Skipped(SkipReason::Robots { rule }) => {
            out.byte(4);
            out.text(rule);
        }
        Outcome::Skipped(SkipReason::RobotsUnavailable { message }) => {
            out.byte(5);
            out.text(message);
        }
        Outcome::Skipped(SkipReason::Trap(reason)) => {
            out.byte(6);
            let index = RefuseReason::ALL.iter().position(|one| one == reason);
            out.number(index.unwrap_or(RefuseReason::ALL.len()) as u64);
        }
    }
}

fn read_outcome(bytes: &mut BytesIn<'_>) -> Result<Outcome, Damaged> {
    Ok(match bytes.byte()? {
        0 => Outcome::Fetched { html: true },
        1 => Outcome::Fetched { html: false },
        2 => Outcome::Redirected { to: bytes.url()? },
        3 => Outcome::Failed(read_failure(bytes)?),
        4 => Outcome::Skipped(SkipReason::Robots {
            rule: bytes.text()?.to_owned(),
        }),
        5 => Outcome::Skipped(SkipReason::RobotsUnavailable {
            message: bytes.text()?.to_owned(),
        }),
        6 => {
            let index = usize::try_from(bytes.number()?).ok();
            let reason = index.and_then(|index| RefuseReason::ALL.get(index));
            Outcome::Skipped(SkipReason::Trap(*reason.ok_or(Damaged("an outcome"))?))
        }
        _ => return Err(Damaged("an outcome")),
    })
}

/// 0 for none. Otherwise one more than the index of the reason in [`RenderReason::ALL`] (plus the length of that list if the
/// page timed out), shifted left by one, with the lowest bit set if the page was rendered; then how long it waited for a tab.
fn write_rendering(out: &mut BytesOut, rendering: Option<Rendering>) {
    let number = rendering.and_then(|rendering| {
        let mut reasons = RenderReason::ALL.iter();
        let index = reasons.position(|reason| *reason == rendering.reason)?;
        let index = index + usize::from(rendering.timed_out) * RenderReason::ALL.len();
        Some((index as u64 + 1) << 1 | u64::from(rendering.rendered))
    });
    out.number(number.unwrap_or(0));
    if let (Some(_), Some(rendering)) = (number, rendering) {
        out.duration(rendering.waited);
    }
}

fn read_rendering(bytes: &mut BytesIn<'_>) -> Result<Option<Rendering>, Damaged> {
    let number = bytes.number()?;
    if number == 0 {
        return Ok(None);
    }
    let index = usize::try_from(number >> 1).ok();
    let index = index.and_then(|index| index.checked_sub(1));
    let index = index.ok_or(Damaged("a rendering"))?;
    let reasons = RenderReason::ALL.len();
    let timed_out = index >= reasons;
    let reason = RenderReason::ALL.get(if timed_out { index - reasons } else { index });
    Ok(Some(Rendering {
        rendered: number & 1 == 1,
        reason: *reason.ok_or(Damaged("a rendering"))?,
        waited: bytes.duration()?,
        browser_time: Duration::ZERO,
        timed_out,
    }))
}

/// The kind by its index in [`FailKind::ALL`], then the message.
pub(super) fn write_failure(out: &mut BytesOut, failure: &Failure) {
    let index = FailKind::ALL.iter().position(|kind| *kind == failure.kind);
    out.number(index.unwrap_or(FailKind::ALL.len()) as u64);
    out.text(&failure.message);
}

pub(super) fn read_failure(bytes: &mut BytesIn<'_>) -> Result<Failure, Damaged> {
    let index = usize::try_from(bytes.number()?).map_err(|_| Damaged("a failure"))?;
    let kind = FailKind::ALL.get(index).ok_or(Damaged("a failure"))?;
    Ok(Failure::new(*kind, bytes.text()?))
}
