//! Everything of a job as a stream: pages by key inside, so memory stays flat whatever the job's size.

use futures_util::stream::{self, Stream, TryStreamExt};

use crate::{Cursor, Document, JobId, MappedUrl, Page, Store, StoreError};

/// Entries read at a time: documents are large, so few.
const DOCUMENTS_A_PAGE: u32 = 50;
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
    pages(move |cursor| store.documents(job, DOCUMENTS_A_PAGE, cursor))
}

/// Every mapped URL of a job, in the order they were stored.
pub fn mapped_of<S: Store>(
    store: &S,
    job: JobId,
) -> impl Stream<Item = Result<MappedUrl, StoreError>> + Send + '_ {
    pages(move |cursor| store.mapped(job, LINKS_A_PAGE, cursor))
}

fn pages<'a, T, F, R>(read: R) -> impl Stream<Item = Result<T, StoreError>> + Send + 'a
where
    T: Send + 'a,
    F: Future<Output = Result<Page<T>, StoreError>> + Send + 'a,
    R: Fn(Option<Cursor>) -> F + Send + 'a,
{
    stream::try_unfold((Place::Start, read), |(place, read)| async move {
        let cursor = match place {
            Place::Start => None,
            Place::At(cursor) => Some(cursor),
            Place::End => return Ok(None),
        };
        let page = read(cursor).await?;
        let place = page.next.map_or(Place::End, Place::At);
        let entries = stream::iter(page.entries.into_iter().map(Ok));
        Ok(Some((entries, (place, read))))
    })
    .try_flatten()
}
