//! A client for the Chrome DevTools Protocol over a pair of pipes: sends commands, receives results and events.
//!
//! Messages are JSON, each followed by a zero byte. Results are matched to calls by id, events to sessions by name. When
//! the browser's end of the pipe closes, all calls and sessions end at once. Every call has a time limit.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crawler_model::lock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::budget_meter::BudgetMeter;
use crate::cdp_sessions::{Events, Sessions, attach_commands};

/// A longer message is discarded while it is read: a page controls its content and must not fill our memory.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 << 20;
/// Default time limit of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle to the connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Cdp {
    connection: Arc<Connection>,
    /// Unbounded, because no command may be lost: a paused request would wait forever. Each command responds to a message
    /// of the browser or belongs to a call that waits, so the queue stays short.
    out: mpsc::UnboundedSender<Vec<u8>>,
}

/// What the handles and the reader of the messages have in common.
struct Connection {
    next: AtomicU64,
    calls: Mutex<HashMap<u64, oneshot::Sender<CallResult>>>,
    sessions: Arc<Sessions>,
    /// For commands to new sessions. Weak, because the reader must not keep the pipe open.
    out: mpsc::WeakUnboundedSender<Vec<u8>>,
    closed: watch::Sender<bool>,
}

type CallResult = Result<Box<RawValue>, CdpError>;

/// A command failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum CdpError {
    /// The browser has exited.
    #[error("the browser has exited")]
    Closed,
    /// It did not respond in time.
    #[error("the browser does not respond ({0})")]
    Timeout(&'static str),
    /// It returned an error; its text is for the log.
    #[error("the browser rejected the command {0}")]
    Refused(&'static str, String),
    /// The proxy of a tab could not be started; the system's text is for the log.
    #[error("no proxy could be started for the tab")]
    NoProxy(String),
}

impl CdpError {
    /// The error with the text of the browser.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Refused(_, text) | Self::NoProxy(text) => format!("{self}: {text}"),
            error => error.to_string(),
        }
    }
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
    error: Option<ErrorObject>,
    #[serde(default)]
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct ErrorObject {
    #[serde(default)]
    message: String,
}

impl Cdp {
    /// Starts a connection over these pipes.
    pub(crate) fn over(
        commands: impl AsyncWrite + Send + Unpin + 'static,
        messages: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (out, waiting) = mpsc::unbounded_channel();
        let connection = Arc::new(Connection {
            next: AtomicU64::new(1),
            calls: Mutex::default(),
            sessions: Arc::default(),
            out: out.downgrade(),
            closed: watch::Sender::new(false),
        });
        tokio::spawn(write(commands, waiting));
        tokio::spawn(read(messages, Arc::clone(&connection)));
        Self { connection, out }
    }

    /// Sends a command and waits for its result. Without a `session` it is for the browser itself.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<T, CdpError> {
        self.call_within(CALL_TIMEOUT, session, method, params)
            .await
    }

    /// Like [`Self::call`], with a time limit.
    pub(crate) async fn call_within<T: DeserializeOwned>(
        &self,
        time_limit: Duration,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<T, CdpError> {
        let id = self.connection.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.connection.calls().insert(id, sender);
        // Removes the entry however this call ends.
        let _pending = PendingCall(&self.connection, id);
        if *self.connection.closed.borrow() {
            return Err(CdpError::Closed);
        }
        let reply = async {
            let command = encode(id, session, method, &params);
            self.out.send(command).map_err(|_| CdpError::Closed)?;
            answer.await.unwrap_or(Err(CdpError::Closed))
        };
        let answer = timeout(time_limit, reply)
            .await
            .map_err(|_| CdpError::Timeout(method))?;
        let result = match answer {
            Ok(result) => result,
            Err(CdpError::Refused(_, message)) => return Err(CdpError::Refused(method, message)),
            Err(error) => return Err(error),
        };
        serde_json::from_str(result.get())
            .map_err(|error| CdpError::Refused(method, error.to_string()))
    }

    /// Sends a command without waiting for its result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consistent with `call`; callers build the value inline"
    )]
    pub(crate) fn post(&self, session: Option<&str>, method: &'static str, params: Value) {
        let id = self.connection.next.fetch_add(1, Ordering::Relaxed);
        let _ = self.out.send(encode(id, session, method, &params));
    }

    /// Subscribes to the events of a tab's session.
    pub(crate) fn events(&self, session: &str, meter: Arc<BudgetMeter>) -> Events {
        self.connection.sessions.subscribe(session, meter)
    }

    /// Whether the connection is closed.
    pub(crate) fn is_closed(&self) -> bool {
        *self.connection.closed.borrow()
    }

    /// Waits until the connection is closed.
    pub(crate) async fn closed(&self) {
        let mut closed = self.connection.closed.subscribe();
        // An error means that the sender was dropped: closed as well.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}

impl fmt::Debug for Cdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cdp")
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

struct PendingCall<'a>(&'a Connection, u64);

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.0.calls().remove(&self.1);
    }
}

impl Connection {
    fn calls(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<CallResult>>> {
        lock(&self.calls)
    }

    fn deliver(&self, message: &[u8]) {
        let message: Message<'_> = match serde_json::from_slice(message) {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "cannot parse a message from the browser");
                return;
            }
        };
        if let Some(id) = message.id {
            let Some(sender) = self.calls().remove(&id) else {
                return;
            };
            let answer = match message.error {
                Some(error) => Err(CdpError::Refused("", error.message)),
                None => Ok(message.result.map_or_else(nothing, ToOwned::to_owned)),
            };
            let _ = sender.send(answer);
        } else if let Some(method) = message.method {
            let session = message.session_id.unwrap_or_default();
            let params = message.params.unwrap_or(RawValue::NULL);
            if let Some(child) = self.sessions.deliver(&session, method, params) {
                self.attach(&child);
            }
        }
    }

    /// Starts to count for the session of a worker or frame, and lets it run.
    fn attach(&self, session: &str) {
        let Some(out) = self.out.upgrade() else {
            return;
        };
        for (method, params) in attach_commands() {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let _ = out.send(encode(id, Some(session), method, &params));
        }
    }

    fn end(&self) {
        self.closed.send_replace(true);
        self.calls().clear();
        self.sessions.clear();
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

async fn read(mut pipe: impl AsyncRead + Unpin, connection: Arc<Connection>) {
    let mut message: Vec<u8> = Vec::new();
    let mut too_long = false;
    let mut piece = vec![0; 64 << 10];
    while let Ok(length @ 1..) = pipe.read(&mut piece).await {
        let mut rest = &piece[..length];
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            if !too_long {
                message.extend_from_slice(&rest[..end]);
                connection.deliver(&message);
            }
            too_long = false;
            message.clear();
            rest = &rest[end + 1..];
        }
        too_long = too_long || message.len() + rest.len() > MAX_MESSAGE_BYTES;
        if too_long {
            message = Vec::new();
        } else {
            message.extend_from_slice(rest);
        }
        // Release the memory of a long message.
        if message.is_empty() && message.capacity() > 1 << 20 {
            message = Vec::new();
        }
    }
    connection.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{DuplexStream, duplex};

    fn pair() -> (Cdp, DuplexStream, DuplexStream) {
        let (command_writer, commands) = duplex(1 << 20);
        let (messages, message_reader) = duplex(1 << 20);
        (
            Cdp::over(command_writer, message_reader),
            commands,
            messages,
        )
    }

    fn meter() -> Arc<BudgetMeter> {
        Arc::new(BudgetMeter::unlimited())
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
    async fn results_reach_their_callers_and_events_their_sessions() {
        let (cdp, mut commands, mut messages) = pair();
        let mut events = cdp.events("S", meter());
        let first = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(None, "A.a", json!({"x": 1})).await }
        });
        let command_a = command(&mut commands).await;
        assert_eq!(command_a["params"]["x"], 1);
        let second = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(Some("S"), "B.b", json!({})).await }
        });
        let other = command(&mut commands).await;
        assert_eq!(other["sessionId"], "S");
        let text = format!(
            "{{\"method\":\"E.e\",\"sessionId\":\"S\",\"params\":{{\"n\":7}}}}\0{{\"id\":{},\"error\":{{\"message\":\"no\"}}}}\0garbage\0{{\"id\":{},\"result\":{{\"y\":2}}}}\0",
            other["id"], command_a["id"]
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
        let mut events = cdp.events("S", meter());
        let call = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call::<Value>(None, "A.a", json!({})).await }
        });
        drop((commands, messages));
        assert_eq!(call.await.unwrap(), Err(CdpError::Closed));
        assert!(events.next().await.is_none());
        cdp.closed().await;
        let result = cdp.call::<Value>(None, "A.a", json!({})).await;
        assert_eq!(result, Err(CdpError::Closed));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_a_result_times_out_and_is_removed() {
        let (cdp, _commands, _messages) = pair();
        let result = cdp.call::<Value>(None, "A.a", json!({})).await;
        assert_eq!(result, Err(CdpError::Timeout("A.a")));
        assert!(cdp.connection.calls().is_empty());
    }

    #[tokio::test]
    async fn a_worker_is_attached_and_started() {
        let (cdp, mut commands, mut messages) = pair();
        let _events = cdp.events("S", meter());
        let text =
            r#"{"method":"Target.attachedToTarget","sessionId":"S","params":{"sessionId":"W"}}"#;
        messages.write_all(text.as_bytes()).await.unwrap();
        messages.write_u8(0).await.unwrap();
        for method in [
            "Inspector.enable",
            "Network.enable",
            "Target.setAutoAttach",
            "Runtime.runIfWaitingForDebugger",
        ] {
            let command = command(&mut commands).await;
            assert_eq!(
                (&command["sessionId"], &command["method"]),
                (&json!("W"), &json!(method))
            );
        }
    }

    #[tokio::test]
    async fn an_endless_message_is_discarded() {
        let (cdp, _commands, mut messages) = pair();
        let mut events = cdp.events("", meter());
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..=MAX_MESSAGE_BYTES >> 20 {
            messages.write_all(&piece).await.unwrap();
        }
        messages
            .write_all(b"x\0{\"method\":\"E.e\"}\0")
            .await
            .unwrap();
        assert_eq!(events.next().await.unwrap().method, "E.e");
    }

    #[test]
    fn errors_have_no_text_of_the_browser_or_the_system() {
        let refused = CdpError::Refused("Page.navigate", "-32000 Cannot navigate".into());
        let no_proxy = CdpError::NoProxy("Too many open files (os error 24)".into());
        for (error, text) in [(refused, "Cannot"), (no_proxy, "os error")] {
            assert!(!error.to_string().contains(text), "{error}");
            assert!(error.detail().contains(text), "{}", error.detail());
        }
    }
}
