//! Encodes complete bodies with each content coding.

use std::io::Write;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, ZstdEncoder};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tokio::io::AsyncWriteExt;

/// `gzip`.
pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 3), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// `deflate` as specified, with the zlib wrapper.
pub(crate) fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// `deflate` as some servers send it, without the wrapper.
pub(crate) fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// `br`.
pub(crate) fn brotli(body: &[u8]) -> Vec<u8> {
    run_without_waiting(async {
        let mut encoder = BrotliEncoder::with_quality(Vec::new(), Level::Precise(3));
        encoder.write_all(body).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    })
}

/// `br` without an end: the beginning, and a piece that may follow it any number of times. Each decodes to `body`.
/// This works for a body of one repeated byte, because the second piece refers only to the byte before it.
pub(crate) fn brotli_blocks(body: &[u8]) -> (Vec<u8>, Vec<u8>) {
    run_without_waiting(async {
        let mut encoder = BrotliEncoder::with_quality(Vec::new(), Level::Precise(3));
        encoder.write_all(body).await.unwrap();
        encoder.flush().await.unwrap();
        let first = encoder.get_ref().len();
        encoder.write_all(body).await.unwrap();
        encoder.flush().await.unwrap();
        let mut both = encoder.get_ref().clone();
        let again = both.split_off(first);
        (both, again)
    })
}

/// `zstd`.
pub(crate) fn zstd(body: &[u8]) -> Vec<u8> {
    run_without_waiting(async {
        let mut encoder = ZstdEncoder::with_quality(Vec::new(), Level::Fastest);
        encoder.write_all(body).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    })
}

/// Runs a future that never waits, such as writing to memory. Starting a runtime here is not possible, because we may
/// already be inside one.
fn run_without_waiting<T>(work: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(work).poll(&mut context) {
        Poll::Ready(done) => done,
        Poll::Pending => unreachable!("writing to memory does not wait"),
    }
}
