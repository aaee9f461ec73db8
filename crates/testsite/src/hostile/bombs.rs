//! Small responses that decompress to gigabytes. The server does not hold the decompressed data: a compressed block is
//! created once and sent repeatedly.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use flate2::{Compress, Compression, FlushCompress};

use super::Expect;
use super::case::{Case, DECODE, TIMEOUT, case, response};
use crate::coding::{brotli_blocks, gzip, zstd};
use crate::{SiteResponse, SocketStep};

const MEGABYTE: usize = 1 << 20;
/// 10,240 blocks of a megabyte.
const BLOCKS: u64 = 10 << 10;

const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const ZLIB_HEADER: [u8; 2] = [0x78, 0x9c];
const EMPTY_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];

/// A megabyte of spaces as deflate blocks that are byte-aligned and refer to no earlier data.
static BLOCK: LazyLock<Bytes> = LazyLock::new(|| {
    let filler = vec![b' '; MEGABYTE];
    let mut packed = Vec::with_capacity(64 << 10);
    Compress::new(Compression::best(), false)
        .compress_vec(&filler, &mut packed, FlushCompress::Full)
        .unwrap();
    packed.into()
});

/// The beginning, and the piece that is repeated after it; each is 16 MB of spaces.
static BROTLI: LazyLock<[Bytes; 2]> = LazyLock::new(|| {
    let (first, again) = brotli_blocks(&vec![b' '; 16 * MEGABYTE]);
    [first.into(), again.into()]
});

/// Zstandard frames can be concatenated, so this one is sent many times.
static ZSTD: LazyLock<Bytes> = LazyLock::new(|| zstd(&vec![b' '; 64 * MEGABYTE]).into());

/// Ten gigabytes compressed twice with gzip.
static NESTED: LazyLock<Bytes> = LazyLock::new(|| {
    let mut inner = GZIP_HEADER.to_vec();
    for _ in 0..BLOCKS {
        inner.extend_from_slice(&BLOCK);
    }
    gzip(&inner).into()
});

/// Compresses everything in advance, so that the first client does not have to wait.
pub(super) fn prepare() {
    for bomb in [&BLOCK, &ZSTD, &NESTED] {
        LazyLock::force(bomb);
    }
    LazyLock::force(&BROTLI);
}

fn coded(coding: &str, steps: Vec<SocketStep>) -> SiteResponse {
    let head = response(&format!("Content-Encoding: {coding}\r\n"), b"");
    SiteResponse::script([vec![SocketStep::send(head)], steps].concat())
}

pub(super) fn cases() -> Vec<Case> {
    let truncated = Expect::Truncated;
    let stuck = Expect::AnyOf(&[Expect::Truncated, DECODE, TIMEOUT]);
    vec![
        case("bomb-gzip", truncated, "10 GB of spaces in 10 MB", |_| {
            let steps = vec![
                SocketStep::send(GZIP_HEADER),
                SocketStep::SendTimes(BLOCK.clone(), BLOCKS),
            ];
            coded("gzip", steps)
        }),
        case(
            "bomb-deflate",
            truncated,
            "10 GB of spaces in 10 MB",
            |_| {
                let steps = vec![
                    SocketStep::send(ZLIB_HEADER),
                    SocketStep::SendTimes(BLOCK.clone(), BLOCKS),
                ];
                coded("deflate", steps)
            },
        ),
        case(
            "bomb-br",
            truncated,
            "10 GB of spaces in 640 pieces",
            |_| {
                let [first, again] = BROTLI.clone();
                coded(
                    "br",
                    vec![SocketStep::Send(first), SocketStep::SendTimes(again, 639)],
                )
            },
        ),
        case(
            "bomb-zstd",
            truncated,
            "10 GB of spaces in 160 frames",
            |_| coded("zstd", vec![SocketStep::SendTimes(ZSTD.clone(), 160)]),
        ),
        case("bomb-nested", truncated, "10 GB in gzip, in gzip", |_| {
            coded("gzip, gzip", vec![SocketStep::Send(NESTED.clone())])
        }),
        case(
            "gzip-endless-name",
            stuck,
            "a gzip header whose file name never ends: input without output",
            |_| {
                let named = [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 255];
                let name = SocketStep::SendForever(vec![b'a'; 16 << 10].into(), Duration::ZERO);
                coded("gzip", vec![SocketStep::send(named), name])
            },
        ),
        case(
            "gzip-empty-blocks",
            stuck,
            "empty blocks forever: input without output",
            |_| {
                let blocks =
                    SocketStep::SendForever(EMPTY_BLOCK.repeat(4 << 10).into(), Duration::ZERO);
                coded("gzip", vec![SocketStep::send(GZIP_HEADER), blocks])
            },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use tokio::io::AsyncReadExt;

    use super::{BLOCK, BROTLI, GZIP_HEADER, NESTED, ZSTD};

    #[test]
    fn bombs_are_small_and_blocks_can_be_repeated() {
        assert!(BLOCK.len() < 2_000, "{}", BLOCK.len());
        let brotli = BROTLI[0].len() + BROTLI[1].len();
        assert!(brotli < 10_000, "{brotli}");
        assert!(ZSTD.len() < 10_000, "{}", ZSTD.len());
        assert!(NESTED.len() < 200_000, "{}", NESTED.len());
        let packed = [&GZIP_HEADER[..], &BLOCK, &BLOCK, &BLOCK].concat();
        let mut unpacked = Vec::new();
        let ended = flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked);
        assert!(ended.is_err(), "a bomb has no end");
        assert_eq!(unpacked.len(), 3 << 20);
        assert!(unpacked.iter().all(|byte| *byte == b' '));
    }

    #[tokio::test]
    async fn brotli_pieces_can_be_repeated() {
        let [first, again] = &*BROTLI;
        let packed = [&first[..], again, again, again].concat();
        let mut unpacked = Vec::new();
        let mut decoder = async_compression::tokio::bufread::BrotliDecoder::new(&packed[..]);
        let ended = decoder.read_to_end(&mut unpacked).await;
        assert!(ended.is_err(), "a bomb has no end");
        assert_eq!(unpacked.len(), 64 << 20);
        assert!(unpacked.iter().all(|byte| *byte == b' '));
    }
}
