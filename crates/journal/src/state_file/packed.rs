//! Compresses events and adds a checksum, which SQLite does not have.

use std::io::{self, Read, Write};

use crawler_model::counted;

/// The fastest compression level: the writer waits for it.
const LEVEL: i32 = 1;
/// Limit on the bytes of one mark when decompressed.
const MAX_BYTES: u64 = 1 << 30;

pub(super) fn pack(events: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.write_all(events)?;
    encoder.finish()
}

/// Decompresses events. If they are longer than any mark, that is an error; they are never truncated.
pub(super) fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    unpack_within(packed, MAX_BYTES)
}

fn unpack_within(packed: &[u8], max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut events = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(packed)?.take(max_bytes);
    decoder.read_to_end(&mut events)?;
    // At the end of the frame a read returns nothing; it also verifies the checksum.
    if decoder.into_inner().read(&mut [0])? > 0 {
        let limit = counted(max_bytes, "byte");
        let message = format!("a mark is larger than {limit} when decompressed");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_round_trip_and_a_changed_byte_is_detected() {
        let events: Vec<u8> = (0..100_000_u32)
            .flat_map(|n| (n / 7).to_le_bytes())
            .collect();
        let packed = pack(&events).unwrap();
        assert!(packed.len() < events.len() / 2);
        assert_eq!(unpack(&packed).unwrap(), events);
        for at in (0..packed.len()).step_by(97) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            assert!(unpack(&damaged).map_or(true, |read| read == events), "{at}");
        }
        assert!(unpack(&packed[..packed.len() - 1]).is_err());
        assert!(unpack(b"something else").is_err());
    }

    #[test]
    fn a_mark_above_the_limit_is_an_error_and_is_not_truncated() {
        let events = vec![7; 10_000];
        let packed = pack(&events).unwrap();
        assert_eq!(unpack_within(&packed, 10_000).unwrap(), events);
        let error = unpack_within(&packed, 9_999).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a mark is larger than 9,999 bytes when decompressed"
        );
    }
}
