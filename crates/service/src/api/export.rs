//! `GET /v1/jobs/{id}/export`: all results of a job as a stream of NDJSON.
//!
//! A task reads the results from the store page by page and waits when the client is slow, so memory use does not
//! depend on the size of the job. If the store fails, or the API key is revoked, the connection is closed before the end of the response,
//! which the client can detect. A slow client holds a connection for long, so exports count like event streams.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawler_store::{Access, JobId, JobKind, Store, StoreError, documents_of, mapped_of};
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderValue, header};
use serde::Serialize;
use tokio::sync::mpsc;

use super::app::App;
use super::auth::Caller;
use super::job_path::JobPath;
use super::key_checks::key_end;
use super::problem::Problem;
use super::query::QueryParams;
use super::requests::ExportQuery;
use super::responses::{DocumentResponse, MappedUrlResponse};
use super::results::{format_of, job_request};
use crate::job_params::OutputFormat;

/// Lines are sent in chunks of about this many bytes.
const CHUNK_BYTES: usize = 64 * 1_024;
/// Number of chunks buffered for the client.
const BUFFERED_CHUNKS: usize = 2;

/// Export the results of a job as NDJSON
#[utoipa::path(
    get, path = "/v1/jobs/{id}/export", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "ID of the job"), ExportQuery),
    responses(
        (status = 200, description = "One JSON object per line", body = String, content_type = "application/x-ndjson"),
        (status = 429, description = "`quota_exceeded`: the quota `event_streams`, which also limits exports, is used up; `too_many_wrong_keys`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn export<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    QueryParams(query): QueryParams<ExportQuery>,
) -> Result<Response, Problem> {
    if query
        .format
        .as_deref()
        .is_some_and(|format| format != "ndjson")
    {
        return Err(Problem::invalid("format", "format: must be ndjson"));
    }
    let access = caller.access();
    let job_request = job_request(&app, &access, id).await?;
    let default = match job_request.kind {
        JobKind::Map => "map",
        _ => "documents",
    };
    let kind = query.kind.as_deref().unwrap_or(default);
    if !["documents", "map"].contains(&kind) {
        return Err(Problem::invalid("type", "type: must be documents or map"));
    }
    let permit = app.limits().stream(&caller)?;
    let wants_documents = kind == "documents";
    let format = format_of(&job_request);
    let (chunks, receiver) = mpsc::channel(BUFFERED_CHUNKS);
    let store = app.store().clone();
    tokio::spawn(async move {
        if wants_documents {
            send_documents(store, access, id, format, chunks).await;
        } else {
            let lines = mapped_of(&store, &access, id)
                .map(|mapped| mapped.map(|mapped| line(&MappedUrlResponse::from(mapped))));
            send(lines, chunks).await;
        }
    });
    let state = (receiver, key_end(&app, &caller), permit);
    let body = stream::unfold(Some(state), |state| async move {
        let (mut receiver, mut key_end, permit) = state?;
        tokio::select! {
            biased;
            () = &mut key_end => {
                let error = io::Error::other("the API key is no longer valid");
                Some((Err(error), None))
            }
            chunk = receiver.recv() => Some((chunk?, Some((receiver, key_end, permit)))),
        }
    });
    let name = format!("attachment; filename=\"{id}-{kind}.ndjson\"");
    let mut response = Body::from_stream(body).into_response();
    let headers = response.headers_mut();
    let media = HeaderValue::from_static("application/x-ndjson");
    headers.insert(header::CONTENT_TYPE, media);
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

type Chunks = mpsc::Sender<Result<Bytes, io::Error>>;

async fn send_documents<S: Store>(
    store: S,
    access: Access,
    id: JobId,
    format: OutputFormat,
    chunks: Chunks,
) {
    let lines = documents_of(&store, &access, id).then(async |document| {
        let document = document?;
        // Extracting text from HTML is slow; do not block the runtime.
        let written =
            tokio::task::spawn_blocking(move || line(&DocumentResponse::new(document, format)));
        written
            .await
            .map_err(|error| StoreError::Refused(error.to_string()))
    });
    send(lines, chunks).await;
}

/// Sends lines until there are no more, the store fails or the client disconnects.
async fn send(lines: impl Stream<Item = Result<Vec<u8>, StoreError>>, chunks: Chunks) {
    let mut lines = std::pin::pin!(lines);
    let mut chunk = Vec::new();
    while let Some(line) = lines.next().await {
        match line {
            Ok(line) => chunk.extend(line),
            Err(error) => {
                tracing::warn!(%error, "export aborted");
                // Fails only if the client has disconnected.
                let _ = chunks.send(Err(io::Error::other("the store failed"))).await;
                return;
            }
        }
        if chunk.len() >= CHUNK_BYTES {
            let full = std::mem::take(&mut chunk);
            if chunks.send(Ok(full.into())).await.is_err() {
                return;
            }
        }
    }
    if !chunk.is_empty() {
        let _ = chunks.send(Ok(chunk.into())).await;
    }
}

fn line(entry: &impl Serialize) -> Vec<u8> {
    // Serializing strings and numbers cannot fail.
    let mut line = serde_json::to_vec(entry).unwrap_or_default();
    line.push(b'\n');
    line
}
