//! Replays events, to restore the frontier's state.

use std::fmt;

use crawler_frontier::{Delivery, Frontier, Work};

use crate::JournaledFrontier;
use crate::codec::{BytesIn, Damaged, Kind, read_page, read_site_file};
use crate::journaled_frontier::numbers;

/// Events that do not lead to the same state as before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError(pub String);

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReplayError {}

impl From<Damaged> for ReplayError {
    fn from(Damaged(expected): Damaged) -> Self {
        Self(format!("expected {expected}"))
    }
}

impl JournaledFrontier {
    /// Replays the events of one mark, and appends the deliveries they lead to.
    pub async fn replay(
        &mut self,
        events: &[u8],
        out: &mut Vec<Delivery>,
    ) -> Result<(), ReplayError> {
        let mut bytes = BytesIn(events);
        while !bytes.is_empty() {
            let kind = Kind::of(bytes.byte()?)?;
            if kind == Kind::Check {
                self.check(&mut bytes)?;
                continue;
            }
            let passed = bytes.duration()?;
            let now = self.last.checked_add(passed).ok_or(Damaged("a moment"))?;
            self.last = now;
            let before = out.len();
            match kind {
                Kind::Take => {
                    let max = usize::try_from(bytes.number()?).map_err(|_| Damaged("a count"))?;
                    let dispatch = self.inner.take(max, now, out).await.map_err(failed)?;
                    for work in dispatch.work {
                        self.outstanding.add(work);
                    }
                    self.note_end(&dispatch.next);
                }
                Kind::Page => {
                    let Some(Work::Page(task)) = self.outstanding.remove(bytes.number()?) else {
                        return Err(Damaged("a page that was handed out").into());
                    };
                    let report = read_page(&mut bytes, task, &self.plan.keys)?;
                    self.inner.settle(report, now, out).await.map_err(failed)?;
                }
                Kind::SiteFileTask => {
                    let Some(Work::SiteFile(site_file)) = self.outstanding.remove(bytes.number()?)
                    else {
                        return Err(Damaged("a site file that was handed out").into());
                    };
                    let report = read_site_file(&mut bytes, site_file, &self.plan)?;
                    let settled = self.inner.settle_site_file(report, now, out).await;
                    settled.map_err(failed)?;
                }
                Kind::Resume => {
                    let away = bytes.duration()?;
                    self.note_away(away);
                }
                Kind::Check => (),
            }
            self.note(&out[before..]);
        }
        Ok(())
    }

    fn check(&self, bytes: &mut BytesIn<'_>) -> Result<(), ReplayError> {
        for now in numbers(&self.inner.progress_counts()) {
            if bytes.number()? != now {
                return Err(ReplayError("its events lead to a different state".into()));
            }
        }
        Ok(())
    }
}

fn failed(error: crawler_frontier::FrontierError) -> ReplayError {
    ReplayError(error.0)
}
