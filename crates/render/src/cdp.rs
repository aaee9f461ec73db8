//! The protocol a browser is driven by, over a pair of pipes: commands out, answers and events back.
//!
//! Messages are JSON with a zero byte behind each. Answers find their caller by number, events their session by name.
//! The browser's end of the pipe is the one sign of its death: from then on every call ends at once, and so does every
//! session. A call never waits without a limit.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

/// A longer message is dropped while it is read: what a page can put into one must not be ours to keep.
pub(crate) const LONGEST_MESSAGE: usize = 64 << 20;
/// Events waiting for a session, and how long they may be all together; what comes on top is dropped.
const MOST_EVENTS: usize = 4_096;
const MOST_BYTES: usize = 32 << 20;
/// Every command is answered within this, or never.
const PATIENCE: Duration = Duration::from_secs(10);

/// The driver's end of the pipes. Cloning gives another handle.
#[derive(Clone)]
pub(crate) struct Cdp {
    shared: Arc<Shared>,
    /// Every command answers something the browser said or begins something we wait for, so no more of them wait than
    /// the browser caused; and none may be lost: a request that waits for our word would wait for ever.
    out: mpsc::UnboundedSender<Vec<u8>>,
}

struct Shared {
    next: AtomicU64,
    calls: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    sessions: Mutex<HashMap<String, Session>>,
    gone: watch::Sender<bool>,
}

/// Where a session's events go.
#[derive(Clone)]
struct Session {
    tell: mpsc::Sender<Event>,
    bytes: Arc<AtomicUsize>,
}

type Answer = Result<Box<RawValue>, CdpError>;

/// Something happened in a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) method: String,
    params: Box<RawValue>,
}

impl Event {
    fn length(&self) -> usize {
        self.params.get().len()
    }

    /// What it says, as far as we know it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

/// A command had no answer that could be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum CdpError {
    /// The browser is gone.
    #[error("the browser is gone")]
    Gone,
    /// It is there, and says nothing.
    #[error("the browser does not answer ({0})")]
    Silent(&'static str),
    /// It says no.
    #[error("the browser refuses {0}: {1}")]
    Refused(&'static str, String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    id: Option<u64>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Fault>,
    #[serde(default)]
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    message: String,
}

impl Cdp {
    /// Speaks over these pipes until the browser's end closes.
    pub(crate) fn over(
        commands: impl AsyncWrite + Send + Unpin + 'static,
        messages: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (out, waiting) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            next: AtomicU64::new(1),
            calls: Mutex::default(),
            sessions: Mutex::default(),
            gone: watch::Sender::new(false),
        });
        tokio::spawn(write(commands, waiting));
        tokio::spawn(read(messages, Arc::clone(&shared)));
        Self { shared, out }
    }

    /// Sends a command and waits for its answer, but not for ever. `session`: none is the browser itself.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<T, CdpError> {
        self.call_within(PATIENCE, session, method, params).await
    }

    /// The same, with a patience of one's own.
    pub(crate) async fn call_within<T: DeserializeOwned>(
        &self,
        patience: Duration,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<T, CdpError> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (tell, answer) = oneshot::channel();
        self.shared.calls().insert(id, tell);
        // However this ends, nobody waits for the answer any more.
        let _forget = Forget(&self.shared, id);
        if *self.shared.gone.borrow() {
            return Err(CdpError::Gone);
        }
        let asked = async {
            let command = encode(id, session, method, &params);
            self.out.send(command).map_err(|_| CdpError::Gone)?;
            answer.await.unwrap_or(Err(CdpError::Gone))
        };
        let answer = timeout(patience, asked)
            .await
            .map_err(|_| CdpError::Silent(method))?;
        let result = match answer {
            Ok(result) => result,
            Err(CdpError::Refused(_, words)) => return Err(CdpError::Refused(method, words)),
            Err(error) => return Err(error),
        };
        serde_json::from_str(result.get())
            .map_err(|error| CdpError::Refused(method, error.to_string()))
    }

    /// Sends a command whose answer is nobody's business.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "as in a call: made on the spot"
    )]
    pub(crate) fn post(&self, session: Option<&str>, method: &'static str, params: Value) {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let _ = self.out.send(encode(id, session, method, &params));
    }

    /// What happens in a session from now on.
    pub(crate) fn events(&self, session: &str) -> Events {
        let (tell, events) = mpsc::channel(MOST_EVENTS);
        let bytes = Arc::<AtomicUsize>::default();
        let told = Session {
            tell,
            bytes: Arc::clone(&bytes),
        };
        self.shared.sessions().insert(session.to_owned(), told);
        Events {
            waiting: events,
            bytes,
            session: session.to_owned(),
            shared: Arc::clone(&self.shared),
        }
    }

    /// Whether the browser's end is closed.
    pub(crate) fn is_gone(&self) -> bool {
        *self.shared.gone.borrow()
    }

    /// Comes back when the browser's end is closed.
    pub(crate) async fn gone(&self) {
        let mut gone = self.shared.gone.subscribe();
        // An error means that nobody is left who could tell: gone as well.
        let _ = gone.wait_for(|gone| *gone).await;
    }
}

impl fmt::Debug for Cdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cdp")
            .field("gone", &self.is_gone())
            .finish_non_exhaustive()
    }
}

/// A session's events.
pub(crate) struct Events {
    waiting: mpsc::Receiver<Event>,
    bytes: Arc<AtomicUsize>,
    session: String,
    shared: Arc<Shared>,
}

impl Events {
    /// The next; `None` when the browser is gone.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.waiting.recv().await?;
        self.bytes.fetch_sub(event.length(), Ordering::Relaxed);
        Some(event)
    }

    /// Lets go of what nobody read.
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
        self.shared.sessions().remove(&self.session);
    }
}

struct Forget<'a>(&'a Shared, u64);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.calls().remove(&self.1);
    }
}

impl Shared {
    fn calls(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deliver(&self, message: &[u8]) {
        let message: Message<'_> = match serde_json::from_slice(message) {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "the browser said something that cannot be read");
                return;
            }
        };
        if let Some(id) = message.id {
            let Some(tell) = self.calls().remove(&id) else {
                return;
            };
            let answer = match message.error {
                Some(fault) => Err(CdpError::Refused("", fault.message)),
                None => Ok(message.result.map_or_else(nothing, ToOwned::to_owned)),
            };
            let _ = tell.send(answer);
        } else if let Some(method) = message.method {
            let session = message.session_id.unwrap_or_default();
            let Some(Session { tell, bytes }) = self.sessions().get(&session).cloned() else {
                return;
            };
            let params = message.params.unwrap_or(RawValue::NULL);
            let length = params.get().len();
            // Too much for whoever reads it: a page that floods us is ended by its deadline.
            if bytes.load(Ordering::Relaxed) + length > MOST_BYTES {
                return;
            }
            bytes.fetch_add(length, Ordering::Relaxed);
            let params = params.to_owned();
            if tell.try_send(Event { method, params }).is_err() {
                bytes.fetch_sub(length, Ordering::Relaxed);
            }
        }
    }

    fn end(&self) {
        self.gone.send_replace(true);
        self.calls().clear();
        self.sessions().clear();
    }
}

fn nothing() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

fn encode(id: u64, session: Option<&str>, method: &str, params: &Value) -> Vec<u8> {
    let mut command = json!({ "id": id, "method": method, "params": params });
    if let Some(session) = session {
        command["sessionId"] = session.into();
    }
    let mut bytes = command.to_string().into_bytes();
    bytes.push(0);
    bytes
}

async fn write(mut pipe: impl AsyncWrite + Unpin, mut waiting: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(command) = waiting.recv().await {
        if pipe.write_all(&command).await.is_err() || pipe.flush().await.is_err() {
            break;
        }
    }
}

async fn read(mut pipe: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut message: Vec<u8> = Vec::new();
    let mut too_long = false;
    let mut piece = vec![0; 64 << 10];
    while let Ok(length @ 1..) = pipe.read(&mut piece).await {
        let mut rest = &piece[..length];
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            if !too_long {
                message.extend_from_slice(&rest[..end]);
                shared.deliver(&message);
            }
            too_long = false;
            message.clear();
            rest = &rest[end + 1..];
        }
        too_long = too_long || message.len() + rest.len() > LONGEST_MESSAGE;
        if too_long {
            message = Vec::new();
        } else {
            message.extend_from_slice(rest);
        }
        // One long message does not keep its memory for ever.
        if message.is_empty() && message.capacity() > 1 << 20 {
            message = Vec::new();
        }
    }
    shared.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{DuplexStream, duplex};

    fn pair() -> (Cdp, DuplexStream, DuplexStream) {
        let (ours, commands) = duplex(1 << 20);
        let (messages, theirs) = duplex(1 << 20);
        (Cdp::over(ours, theirs), commands, messages)
    }

    async fn command(pipe: &mut DuplexStream) -> Value {
        let mut bytes = Vec::new();
        loop {
            match pipe.read_u8().await.unwrap() {
                0 => return serde_json::from_slice(&bytes).unwrap(),
                byte => bytes.push(byte),
            }
        }
    }

    #[tokio::test]
    async fn answers_find_their_callers_and_events_their_sessions() {
        let (cdp, mut commands, mut messages) = pair();
        let mut events = cdp.events("S");
        let first = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(None, "A.a", json!({"x": 1})).await }
        });
        let asked = command(&mut commands).await;
        assert_eq!(asked["params"]["x"], 1);
        let second = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(Some("S"), "B.b", json!({})).await }
        });
        let other = command(&mut commands).await;
        assert_eq!(other["sessionId"], "S");
        let text = format!(
            "{{\"method\":\"E.e\",\"sessionId\":\"S\",\"params\":{{\"n\":7}}}}\0{{\"id\":{},\"error\":{{\"message\":\"no\"}}}}\0garbage\0{{\"id\":{},\"result\":{{\"y\":2}}}}\0",
            other["id"], asked["id"]
        );
        messages.write_all(text.as_bytes()).await.unwrap();
        assert_eq!(first.await.unwrap().unwrap()["y"], 2);
        assert_eq!(
            second.await.unwrap(),
            Err(CdpError::Refused("B.b", "no".into()))
        );
        let event = events.next().await.unwrap();
        assert_eq!(
            (
                event.method.as_str(),
                event.read::<Value>().unwrap()["n"].as_u64()
            ),
            ("E.e", Some(7))
        );
    }

    #[tokio::test]
    async fn a_browser_that_dies_ends_every_call_and_session_at_once() {
        let (cdp, commands, messages) = pair();
        let mut events = cdp.events("S");
        let call = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(None, "A.a", json!({})).await }
        });
        drop((commands, messages));
        assert_eq!(call.await.unwrap(), Err(CdpError::Gone));
        assert!(events.next().await.is_none());
        cdp.gone().await;
        let late = cdp.call::<Value>(None, "A.a", json!({})).await;
        assert_eq!(late, Err(CdpError::Gone));
    }

    #[tokio::test(start_paused = true)]
    async fn a_browser_that_says_nothing_is_not_waited_for_and_leaves_nothing_behind() {
        let (cdp, _commands, _messages) = pair();
        let late = cdp.call::<Value>(None, "A.a", json!({})).await;
        assert_eq!(late, Err(CdpError::Silent("A.a")));
        assert!(cdp.shared.calls().is_empty());
    }

    #[tokio::test]
    async fn a_message_without_end_is_not_kept() {
        let (cdp, _commands, mut messages) = pair();
        let mut events = cdp.events("");
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..=LONGEST_MESSAGE >> 20 {
            messages.write_all(&piece).await.unwrap();
        }
        messages
            .write_all(b"x\0{\"method\":\"E.e\"}\0")
            .await
            .unwrap();
        assert_eq!(events.next().await.unwrap().method, "E.e");
    }
}
