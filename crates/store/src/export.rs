//! Everything of a job as a stream: pages by key inside, so memory stays flat whatever the job's size.

use futures_util::stream::{self, Stream, TryStreamExt};

use crate::{Cursor, Document, JobId, MappedUrl, Page, Store, StoreError};

/// Documents read at first; how many follow depends on how large they were.
const FIRST_DOCUMENTS: u32 = 4;
const MOST_DOCUMENTS: u32 = 100;
/// Bytes of documents that are meant to be held at a time.
const BYTES_A_PAGE: usize = 4_000_000;
const LINKS_A_PAGE: u32 = 1_000;

enum Place {
    Start,
    At(Cursor),
    End,
}

/// Every document of a job, in the order they were stored.
pub fn documents_of<S: Store>(
    store: &S,
    job: JobId,
) -> impl Stream<Item = Result<Document, StoreError>> + Send + '_ {
    let read = move |limit, cursor| store.documents(job, limit, cursor);
    pages(read, FIRST_DOCUMENTS, documents_next)
}

/// Every mapped URL of a job, in the order they were stored.
pub fn mapped_of<S: Store>(
    store: &S,
    job: JobId,
) -> impl Stream<Item = Result<MappedUrl, StoreError>> + Send + '_ {
    let read = move |limit, cursor| store.mapped(job, limit, cursor);
    pages(read, LINKS_A_PAGE, |_| LINKS_A_PAGE)
}

/// How many documents to read after these: as many of their size as may be held.
pub fn documents_next(read: &[Document]) -> u32 {
    let bytes: usize = read.iter().map(Document::bytes).sum();
    let average = bytes / read.len().max(1);
    let fitting = BYTES_A_PAGE / average.max(1);
    u32::try_from(fitting)
        .unwrap_or(MOST_DOCUMENTS)
        .clamp(1, MOST_DOCUMENTS)
}

fn pages<'a, T, F, R>(
    read: R,
    first: u32,
    next: fn(&[T]) -> u32,
) -> impl Stream<Item = Result<T, StoreError>> + Send + 'a
where
    T: Send + 'a,
    F: Future<Output = Result<Page<T>, StoreError>> + Send + 'a,
    R: Fn(u32, Option<Cursor>) -> F + Send + 'a,
{
    let start = (Place::Start, first, read);
    stream::try_unfold(start, move |(place, limit, read)| async move {
        let cursor = match place {
            Place::Start => None,
            Place::At(cursor) => Some(cursor),
            Place::End => return Ok(None),
        };
        let page = read(limit, cursor).await?;
        let place = page.next.map_or(Place::End, Place::At);
        let limit = next(&page.entries);
        let entries = stream::iter(page.entries.into_iter().map(Ok));
        Ok(Some((entries, (place, limit, read))))
    })
    .try_flatten()
}
