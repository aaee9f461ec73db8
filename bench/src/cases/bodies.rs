//! Reading a response body, plain and gzipped.

use std::hint::black_box;
use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::case::Case;
use crate::pages::R;

/// About the size of one read from a socket.
const PIECE: usize = 16 * 1024;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        body_case("body-plain-r", None, PIECE, || R.body.to_vec()),
        body_case("body-whole-r", None, usize::MAX, || R.body.to_vec()),
        body_case("body-gzip-r", Some("gzip"), PIECE, || {
            let mut writer = GzEncoder::new(Vec::new(), Compression::default());
            writer
                .write_all(R.body)
                .expect("writing to memory cannot fail");
            writer.finish().expect("writing to memory cannot fail")
        }),
    ]
}

fn body_case(
    name: &str,
    coding: Option<&'static str>,
    piece: usize,
    wire: fn() -> Vec<u8>,
) -> Case {
    Case::new(name, 20, R.body.len(), move |_| {
        let wire = Bytes::from(wire());
        let content_length = Some(wire.len() as u64);
        let pieces: Vec<Bytes> = wire
            .chunks(piece)
            .map(|part| wire.slice_ref(part))
            .collect();
        Box::new(move || {
            let pieces = black_box(&pieces).iter().cloned();
            crawler_fetch::probe::decode_body(coding, content_length, pieces)
                .map_or(0, |body| body.len())
        })
    })
}
