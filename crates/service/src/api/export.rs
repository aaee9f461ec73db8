//! `GET /v1/jobs/{id}/export`: everything of a job as ndjson, streamed.
//!
//! A task reads page after page from the store and waits whenever the caller is behind, so memory stays flat whatever
//! the job's size. A store that goes away in the middle breaks the answer off, which a caller can tell from its end.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderValue, header};
use serde::Serialize;
use store::{JobId, JobKind, Store, StoreError, documents_of, mapped_of};
use tokio::sync::mpsc;

use super::answers::{DocumentAnswer, MappedAnswer};
use super::app::App;
use super::job_path::JobPath;
use super::lists::{format_of, order};
use super::problem::Problem;
use super::query::Params;
use super::requests::ExportQuery;
use crate::job_params::OutputFormat;

/// Lines are sent together up to about this many bytes.
const CHUNK: usize = 64 * 1_024;
/// Chunks that may wait for the caller.
const WAITING: usize = 2;

/// Everything of a job as ndjson, streamed
#[utoipa::path(
    get, path = "/v1/jobs/{id}/export", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "The job"), ExportQuery),
    responses((status = 200, description = "One object a line", body = String, content_type = "application/x-ndjson"))
)]
pub(super) async fn export<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
    Params(query): Params<ExportQuery>,
) -> Result<Response, Problem> {
    if query
        .format
        .as_deref()
        .is_some_and(|format| format != "ndjson")
    {
        return Err(Problem::invalid("format", "format: allowed: ndjson"));
    }
    let order = order(&app, id).await?;
    let usual = match order.kind {
        JobKind::Map => "map",
        _ => "documents",
    };
    let kind = query.kind.as_deref().unwrap_or(usual);
    if !["documents", "map"].contains(&kind) {
        return Err(Problem::invalid("type", "type: allowed: documents, map"));
    }
    let wants_documents = kind == "documents";
    let format = format_of(&order);
    let (chunks, rest) = mpsc::channel(WAITING);
    let store = app.store().clone();
    tokio::spawn(async move {
        if wants_documents {
            send_documents(store, id, format, chunks).await;
        } else {
            let lines = mapped_of(&store, id)
                .map(|mapped| mapped.map(|mapped| line(&MappedAnswer::from(mapped))));
            send(lines, chunks).await;
        }
    });
    let body = stream::unfold(rest, |mut rest| async move {
        let chunk = rest.recv().await?;
        Some((chunk, rest))
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

async fn send_documents<S: Store>(store: S, id: JobId, format: OutputFormat, chunks: Chunks) {
    let lines = documents_of(&store, id).then(async |document| {
        let document = document?;
        // Text is read from html, which takes its time: not on a thread that serves others.
        let written =
            tokio::task::spawn_blocking(move || line(&DocumentAnswer::new(document, format)));
        written
            .await
            .map_err(|error| StoreError::Refused(error.to_string()))
    });
    send(lines, chunks).await;
}

/// Sends lines until they end, the store fails or the caller has gone.
async fn send(lines: impl Stream<Item = Result<Vec<u8>, StoreError>>, chunks: Chunks) {
    let mut lines = std::pin::pin!(lines);
    let mut chunk = Vec::new();
    while let Some(line) = lines.next().await {
        match line {
            Ok(line) => chunk.extend(line),
            Err(error) => {
                tracing::warn!(%error, "export broken off");
                // A caller who has gone needs no answer.
                let _ = chunks
                    .send(Err(io::Error::other("the store went away")))
                    .await;
                return;
            }
        }
        if chunk.len() >= CHUNK {
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

fn line(answer: &impl Serialize) -> Vec<u8> {
    // Strings and numbers only: there is nothing in it that could not be written.
    let mut line = serde_json::to_vec(answer).unwrap_or_default();
    line.push(b'\n');
    line
}
