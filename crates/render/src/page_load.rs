//! Drives one page in a tab until it ends, and takes its document.

use std::time::Duration;

use crawler_model::{FailKind, Failure};
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use crate::RenderSettings;
use crate::cdp::CdpError;
use crate::cdp_sessions::Events;
use crate::navigation::{Navigation, NavigationEnd};
use crate::snapshot::{self, Snapshot};

/// Time to take the document of a page after its deadline.
pub(crate) const SNAPSHOT_GRACE: Duration = Duration::from_millis(1_500);

/// Loads a page until it ends or its deadline passes.
pub(crate) async fn load(
    navigation: &mut Navigation<'_>,
    events: &mut Events,
    deadline: Instant,
) -> Result<(), Failure> {
    let failed = |error: CdpError| {
        if let CdpError::Refused(..) = error {
            tracing::info!(error = error.detail(), "the browser rejected a page");
            // A URL that the browser rejects is not a failure of the browser.
            return Failure::new(FailKind::Protocol, "the browser rejected the URL");
        }
        Failure::new(FailKind::Browser, error.to_string())
    };
    let cdp = navigation.cdp.clone();
    let session = navigation.session.to_owned();
    let params = json!({ "url": navigation.url, "transitionType": "typed" });
    let time_limit = deadline.saturating_duration_since(Instant::now()) + SNAPSHOT_GRACE;
    let navigate = cdp.call_within(time_limit, Some(&session), "Page.navigate", params);
    let mut navigate = std::pin::pin!(navigate);
    let mut navigated = false;
    while navigation.end().is_none() {
        let now = Instant::now();
        if now >= deadline {
            navigation.stop(NavigationEnd::Deadline);
            break;
        }
        let wake = navigation.next_check(now).unwrap_or(deadline).min(deadline);
        if navigation.end().is_some() {
            break;
        }
        tokio::select! {
            event = events.next() => match event {
                Some(event) => navigation.handle_event(&event, Instant::now()),
                None => return Err(failed(CdpError::Closed)),
            },
            result = &mut navigate, if !navigated => {
                navigated = true;
                navigation.on_navigated(&result.map_err(failed)?);
            }
            () = sleep_until(wake) => (),
        }
    }
    Ok(())
}

/// Takes the document of a page. Events are handled meanwhile, because an open dialog would block it.
pub(crate) async fn take_snapshot(
    navigation: &mut Navigation<'_>,
    events: &mut Events,
    settings: &RenderSettings,
    time_limit: Duration,
) -> Result<Snapshot, CdpError> {
    let (cdp, session, frame) = (navigation.cdp, navigation.session, navigation.frame);
    let current_url = navigation.current_url().to_owned();
    let snapshot = snapshot::take(cdp, session, frame, &current_url, settings.max_body);
    let mut snapshot = std::pin::pin!(timeout(time_limit, snapshot));
    loop {
        tokio::select! {
            result = &mut snapshot => {
                return result.unwrap_or(Err(CdpError::Timeout("the page's document")));
            }
            event = events.next() => match event {
                Some(event) => {
                    navigation.handle_event(&event, Instant::now());
                    if navigation.is_crashed() {
                        return Err(CdpError::Closed);
                    }
                }
                None => return Err(CdpError::Closed),
            },
        }
    }
}
