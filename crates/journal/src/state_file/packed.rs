//! Compresses events and adds a checksum, which SQLite does not have.

use std::io::{self, Read, Write};

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

pub(super) fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut events = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(packed)?;
    decoder.take(MAX_BYTES).read_to_end(&mut events)?;
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
}
