//! The sessions of a browser: one per tab, and one for each of its workers and sandboxed frames.
//!
//! Events of a tab are queued for it. Its requests are counted and its processes recorded as their events are read, so that nothing
//! is missed if a page causes more events than fit into the queue. Requests of workers and frames count for their tab; their other
//! events are ignored.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crawler_model::lock;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::budget_meter::BudgetMeter;

/// Maximum number and total size of the events queued for a session; further ones are dropped.
const MAX_EVENTS: usize = 4_096;
const MAX_EVENT_BYTES: usize = 32 << 20;
/// Maximum number of sessions. A page whose further workers are not attached keeps them waiting.
const MAX_SESSIONS: usize = 10_000;

/// All sessions of a connection.
#[derive(Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<String, Session>>,
}

#[derive(Clone)]
struct Session {
    /// Whether it is a worker or a frame.
    is_child: bool,
    /// The queue of its tab.
    queue: EventQueue,
    meter: Arc<BudgetMeter>,
}

/// The queue of a tab's events.
#[derive(Clone)]
struct EventQueue {
    sender: mpsc::Sender<Event>,
    bytes: Arc<AtomicUsize>,
}

/// An event in a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) method: String,
    params: Box<RawValue>,
}

impl Event {
    fn length(&self) -> usize {
        self.params.get().len()
    }

    /// Parses the parameters.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

/// `Network.requestWillBeSent`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestId<'a> {
    #[serde(borrow)]
    request_id: &'a str,
}

/// `Target.attachedToTarget` and `Target.detachedFromTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChildSession {
    session_id: String,
}

/// Commands for the session of a worker or frame, which waits for the last one. They attach to its own workers and frames, too.
pub(crate) fn attach_commands() -> [(&'static str, Value); 4] {
    [
        // Reports crashes.
        ("Inspector.enable", json!({})),
        (
            "Network.enable",
            json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
        ),
        auto_attach(),
        ("Runtime.runIfWaitingForDebugger", json!({})),
    ]
}

/// The command that attaches to the workers and the sandboxed frames of a page, before they start.
pub(crate) fn auto_attach() -> (&'static str, Value) {
    let params = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    ("Target.setAutoAttach", params)
}

/// Returns the process that a request id names. Requests that the browser process makes have other ids.
fn process_of(request_id: &str) -> Option<u32> {
    let (process, number) = request_id.split_once('.')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

impl Sessions {
    /// Adds the session of a tab and returns its events.
    pub(crate) fn subscribe(self: &Arc<Self>, session: &str, meter: Arc<BudgetMeter>) -> Events {
        let (sender, waiting) = mpsc::channel(MAX_EVENTS);
        let bytes = Arc::<AtomicUsize>::default();
        let queue = EventQueue {
            sender,
            bytes: Arc::clone(&bytes),
        };
        let subscription = Session {
            is_child: false,
            queue,
            meter: Arc::clone(&meter),
        };
        lock(&self.open).insert(session.to_owned(), subscription);
        Events {
            waiting,
            bytes,
            meter,
            sessions: Arc::clone(self),
        }
    }

    /// Handles an event. Returns a session of a worker or frame that was attached and waits for [`attach_commands`].
    pub(crate) fn deliver(
        &self,
        session: &str,
        method: String,
        params: &RawValue,
    ) -> Option<String> {
        let Session {
            is_child,
            queue,
            meter,
        } = lock(&self.open).get(session).cloned()?;
        match method.as_str() {
            // Sent by the network stack, so that blocked and cached requests do not count. Nobody else needs it.
            "Network.requestWillBeSentExtraInfo" => {
                meter.count_sent();
                return None;
            }
            "Network.requestWillBeSent" => {
                let id = serde_json::from_str::<RequestId<'_>>(params.get());
                if let Some(process) = id.ok().and_then(|id| process_of(id.request_id)) {
                    meter.learn_process(process);
                }
            }
            "Inspector.targetCrashed" if is_child => {
                meter.frame_crashed();
                return None;
            }
            "Target.attachedToTarget" => {
                let ChildSession { session_id } = serde_json::from_str(params.get()).ok()?;
                let mut open = lock(&self.open);
                if open.len() >= MAX_SESSIONS {
                    return None;
                }
                let child = Session {
                    is_child: true,
                    queue,
                    meter,
                };
                open.insert(session_id.clone(), child);
                return Some(session_id);
            }
            "Target.detachedFromTarget" => {
                let ChildSession { session_id } = serde_json::from_str(params.get()).ok()?;
                let mut open = lock(&self.open);
                if open.get(&session_id).is_some_and(|one| one.is_child) {
                    open.remove(&session_id);
                }
                return None;
            }
            _ => (),
        }
        // The end of a worker's script is reported to the worker, its start to the page, which waits for it.
        let is_end = || {
            matches!(
                method.as_str(),
                "Network.loadingFinished" | "Network.loadingFailed"
            )
        };
        if !is_child || is_end() {
            queue.push(method, params);
        }
        None
    }

    /// Ends all sessions.
    pub(crate) fn clear(&self) {
        lock(&self.open).clear();
    }
}

impl EventQueue {
    fn push(&self, method: String, params: &RawValue) {
        let length = params.get().len();
        // A page that sends too many events ends at its deadline.
        if self.bytes.load(Ordering::Relaxed) + length > MAX_EVENT_BYTES {
            return;
        }
        self.bytes.fetch_add(length, Ordering::Relaxed);
        let params = params.to_owned();
        if self.sender.try_send(Event { method, params }).is_err() {
            self.bytes.fetch_sub(length, Ordering::Relaxed);
        }
    }
}

/// The events of a tab.
pub(crate) struct Events {
    waiting: mpsc::Receiver<Event>,
    bytes: Arc<AtomicUsize>,
    meter: Arc<BudgetMeter>,
    sessions: Arc<Sessions>,
}

impl Events {
    /// Returns the next event; `None` when the browser has exited.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.waiting.recv().await?;
        self.bytes.fetch_sub(event.length(), Ordering::Relaxed);
        Some(event)
    }

    /// Discards queued events.
    pub(crate) fn clear(&mut self) {
        while let Ok(event) = self.waiting.try_recv() {
            self.bytes.fetch_sub(event.length(), Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // Also those of its workers and frames.
        let mut open = lock(&self.sessions.open);
        open.retain(|_, session| !Arc::ptr_eq(&session.meter, &self.meter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).unwrap()
    }

    #[test]
    fn request_ids_of_page_processes_name_them() {
        for (id, process) in [
            ("4711.5", Some(4_711)),
            ("A50F623DAD3F3EC4DD7DF21D030C8109", None),
            ("interception-job-1.0", None),
            ("4711", None),
        ] {
            assert_eq!(process_of(id), process, "{id}");
        }
    }

    #[tokio::test]
    async fn workers_count_for_their_tab_until_it_closes() {
        let sessions = Arc::<Sessions>::default();
        let meter = Arc::new(BudgetMeter::unlimited());
        let events = sessions.subscribe("tab", Arc::clone(&meter));
        let deliver = |session: &str, method: &str, value: Value| {
            sessions.deliver(session, method.to_owned(), &params(&value))
        };
        let attached = |id: &str| json!({ "sessionId": id, "waitingForDebugger": true });
        let child = deliver("tab", "Target.attachedToTarget", attached("worker"));
        assert_eq!(child.as_deref(), Some("worker"));
        let child = deliver("worker", "Target.attachedToTarget", attached("inner"));
        assert_eq!(child.as_deref(), Some("inner"));
        let sent = json!({ "requestId": "77.1", "request": { "url": "https://e.x/" } });
        deliver("inner", "Network.requestWillBeSent", sent);
        assert!(meter.owns(77));
        assert_eq!(
            deliver("other", "Target.attachedToTarget", attached("x")),
            None
        );
        deliver("worker", "Target.detachedFromTarget", attached("inner"));
        deliver("tab", "Target.detachedFromTarget", attached("tab"));
        assert_eq!(lock(&sessions.open).len(), 2);
        drop(events);
        assert!(lock(&sessions.open).is_empty());
    }
}
