//! All results of a job as a stream. It reads page by page, so memory use does not depend on the job's size.

use futures_util::stream::{self, Stream, TryStreamExt};

use crate::{Access, Cursor, JobId, ListPage, MappedUrl, Results, StoreError, StoredDocument};

/// Entries per page; documents are large.
const DOCUMENTS_PER_PAGE: u32 = 50;
const LINKS_PER_PAGE: u32 = 1_000;

enum Position {
    Start,
    At(Cursor),
    End,
}

/// Streams the documents of a job in the order they were stored.
pub fn documents_of<'a, S: Results>(
    store: &'a S,
    access: &'a Access,
    job: JobId,
) -> impl Stream<Item = Result<StoredDocument, StoreError>> + Send + 'a {
    pages(move |cursor| store.documents(access, job, DOCUMENTS_PER_PAGE, cursor))
}

/// Streams the mapped URLs of a job in the order they were stored.
pub fn mapped_of<'a, S: Results>(
    store: &'a S,
    access: &'a Access,
    job: JobId,
) -> impl Stream<Item = Result<MappedUrl, StoreError>> + Send + 'a {
    pages(move |cursor| store.mapped(access, job, LINKS_PER_PAGE, cursor))
}

fn pages<'a, T, F, R>(read: R) -> impl Stream<Item = Result<T, StoreError>> + Send + 'a
where
    T: Send + 'a,
    F: Future<Output = Result<ListPage<T>, StoreError>> + Send + 'a,
    R: Fn(Option<Cursor>) -> F + Send + 'a,
{
    stream::try_unfold((Position::Start, read), |(position, read)| async move {
        let cursor = match position {
            Position::Start => None,
            Position::At(cursor) => Some(cursor),
            Position::End => return Ok(None),
        };
        let page = read(cursor).await?;
        let position = page.next.map_or(Position::End, Position::At);
        let entries = stream::iter(page.entries.into_iter().map(Ok));
        Ok(Some((entries, (position, read))))
    })
    .try_flatten()
}
