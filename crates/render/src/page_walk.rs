//! Following one page in a tab: until it ends, and while its document is taken.

use std::time::Duration;

use model::{FailKind, Failure};
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use crate::RenderSettings;
use crate::cdp::{CdpError, Events};
use crate::navigation::{End, Navigation};
use crate::snapshot::{self, Snapshot};

/// A page whose time is up has this long to hand out its document.
pub(crate) const GRACE: Duration = Duration::from_millis(1_500);

/// Follows a page until it ends, or its time is up.
pub(crate) async fn walk(
    navigation: &mut Navigation<'_>,
    events: &mut Events,
    deadline: Instant,
) -> Result<(), Failure> {
    let failed = |error: CdpError| {
        let kind = match error {
            // A URL the browser does not take is no reason to blame the browser.
            CdpError::Refused(..) => FailKind::Protocol,
            _ => FailKind::Browser,
        };
        Failure::new(kind, error.to_string())
    };
    let cdp = navigation.cdp.clone();
    let session = navigation.session.to_owned();
    let place = json!({ "url": navigation.url, "transitionType": "typed" });
    let patience = deadline.saturating_duration_since(Instant::now()) + GRACE;
    let navigate = cdp.call_within(patience, Some(&session), "Page.navigate", place);
    let mut navigate = std::pin::pin!(navigate);
    let mut answered = false;
    while navigation.end().is_none() {
        let now = Instant::now();
        if now >= deadline {
            navigation.stop(End::Deadline);
            break;
        }
        let wake = navigation.rest(now).unwrap_or(deadline).min(deadline);
        if navigation.end().is_some() {
            break;
        }
        tokio::select! {
            event = events.next() => match event {
                Some(event) => navigation.take(&event, Instant::now()),
                None => return Err(failed(CdpError::Gone)),
            },
            answer = &mut navigate, if !answered => {
                answered = true;
                navigation.navigated(&answer.map_err(failed)?);
            }
            () = sleep_until(wake) => (),
        }
    }
    Ok(())
}

/// Takes a page's document. What it asks meanwhile is answered: a dialog would keep it from us.
pub(crate) async fn take(
    navigation: &mut Navigation<'_>,
    events: &mut Events,
    settings: &RenderSettings,
    patience: Duration,
) -> Result<Snapshot, CdpError> {
    let (cdp, session, frame) = (navigation.cdp, navigation.session, navigation.frame);
    let place = navigation.place().to_owned();
    let taking = snapshot::take(cdp, session, frame, &place, settings.max_body);
    let mut taking = std::pin::pin!(timeout(patience, taking));
    loop {
        tokio::select! {
            taken = &mut taking => {
                return taken.unwrap_or(Err(CdpError::Silent("the page's document")));
            }
            event = events.next() => match event {
                Some(event) => {
                    navigation.take(&event, Instant::now());
                    if navigation.is_crashed() {
                        return Err(CdpError::Gone);
                    }
                }
                None => return Err(CdpError::Gone),
            },
        }
    }
}
