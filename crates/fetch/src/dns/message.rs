//! DNS messages (RFC 1035): the queries for addresses, and their responses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A kind of address record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecordType {
    A,
    Aaaa,
}

impl RecordType {
    fn code(self) -> u16 {
        match self {
            Self::A => 1,
            Self::Aaaa => 28,
        }
    }
}

/// What a server responded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Response {
    /// The addresses of the name; none if it has no record of the type, or does not exist.
    Addresses(Vec<IpAddr>),
    /// The response does not fit into a datagram.
    Truncated,
    /// The server could not resolve the name.
    Failed,
}

const HEADER: usize = 12;
const CLASS_IN: u16 = 1;
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// A query for the records of a name; `None` if it is not a valid name.
pub(super) fn query(id: u16, name: &str, kind: RecordType) -> Option<Vec<u8>> {
    if name.is_empty() || name.len() > MAX_NAME {
        return None;
    }
    let mut message = Vec::with_capacity(HEADER + name.len() + 6);
    message.extend(id.to_be_bytes());
    // A standard query, recursion desired, with one question.
    message.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        let len = u8::try_from(label.len()).ok()?;
        if label.is_empty() || label.len() > MAX_LABEL {
            return None;
        }
        message.push(len);
        message.extend(label.bytes());
    }
    message.push(0);
    message.extend(kind.code().to_be_bytes());
    message.extend(CLASS_IN.to_be_bytes());
    Some(message)
}

/// Reads a response; `None` if it is not one to this query, which anyone may have sent.
pub(super) fn response(query: &[u8], message: &[u8]) -> Option<Response> {
    let question = query.get(HEADER..)?;
    let flags = u16_at(message, 2)?;
    let is_response = flags & 0x8000 != 0 && flags & 0x7800 == 0;
    let same_id = message.get(..2)? == query.get(..2)?;
    let asked = message.get(HEADER..HEADER + question.len())?;
    if !is_response || !same_id || u16_at(message, 4)? != 1 || !asked.eq_ignore_ascii_case(question)
    {
        return None;
    }
    if flags & 0x0200 != 0 {
        return Some(Response::Truncated);
    }
    let wanted = u16_at(question, question.len() - 4)?;
    match flags & 0xf {
        0 => Some(
            addresses(message, HEADER + question.len(), wanted)
                .map_or(Response::Failed, Response::Addresses),
        ),
        // The name does not exist.
        3 => Some(Response::Addresses(Vec::new())),
        _ => Some(Response::Failed),
    }
}

/// The addresses in the answers. Aliases are not followed: a recursive server returns the addresses behind them.
fn addresses(message: &[u8], mut at: usize, wanted: u16) -> Option<Vec<IpAddr>> {
    let mut found = Vec::new();
    for _ in 0..u16_at(message, 6)? {
        at = after_name(message, at)?;
        let (kind, class) = (u16_at(message, at)?, u16_at(message, at + 2)?);
        let len = usize::from(u16_at(message, at + 8)?);
        let value = message.get(at + 10..at + 10 + len)?;
        at += 10 + len;
        if kind != wanted || class != CLASS_IN {
            continue;
        }
        if let Ok(octets) = <[u8; 4]>::try_from(value) {
            found.push(IpAddr::V4(Ipv4Addr::from(octets)));
        } else if let Ok(octets) = <[u8; 16]>::try_from(value) {
            found.push(IpAddr::V6(Ipv6Addr::from(octets)));
        }
    }
    Some(found)
}

/// The position after a name: labels, or a pointer.
fn after_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *message.get(at)? {
            0 => return Some(at + 1),
            len if len & 0xc0 == 0xc0 => return Some(at + 2),
            len => at += 1 + usize::from(len),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes([bytes[0], bytes[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(query: &[u8], flags: u16, records: &[(u16, &[u8])]) -> Vec<u8> {
        let mut message = query.to_vec();
        message[2..4].copy_from_slice(&flags.to_be_bytes());
        message[7] = u8::try_from(records.len()).unwrap();
        for (kind, value) in records {
            message.extend([0xc0, 12]);
            message.extend(kind.to_be_bytes());
            message.extend([0, 1, 0, 0, 0, 60, 0]);
            message.push(u8::try_from(value.len()).unwrap());
            message.extend(*value);
        }
        message
    }

    #[test]
    fn addresses_are_read_behind_aliases() {
        let query = query(7, "www.example.org", RecordType::A).unwrap();
        let records: [(u16, &[u8]); 3] = [
            (5, &[1, b'x', 0]),
            (1, &[192, 0, 2, 1]),
            (1, &[192, 0, 2, 2]),
        ];
        let message = answer(&query, 0x8180, &records);
        let expected = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        assert_eq!(
            response(&query, &message),
            Some(Response::Addresses(expected.to_vec()))
        );
        // Cut off anywhere, it is not read, and nothing panics.
        for end in 0..message.len() {
            let read = response(&query, &message[..end]);
            assert!(matches!(read, None | Some(Response::Failed)), "{end}");
        }
    }

    #[test]
    fn responses_to_other_queries_are_ignored() {
        let asked = query(7, "example.org", RecordType::Aaaa).unwrap();
        for other in [
            query(8, "example.org", RecordType::Aaaa),
            query(7, "example.net", RecordType::Aaaa),
            query(7, "example.org", RecordType::A),
        ] {
            let message = answer(&other.unwrap(), 0x8180, &[]);
            assert_eq!(response(&asked, &message), None);
        }
        assert_eq!(response(&asked, &asked), None, "a query is no response");
        for (flags, expected) in [
            (0x8183, Response::Addresses(Vec::new())),
            (0x8182, Response::Failed),
            (0x8380, Response::Truncated),
        ] {
            assert_eq!(
                response(&asked, &answer(&asked, flags, &[])),
                Some(expected)
            );
        }
    }

    #[test]
    fn invalid_names_are_not_asked_for() {
        let long = "a".repeat(64);
        for name in ["", "a..b", ".a", &long, &"a.".repeat(200)] {
            assert_eq!(query(1, name, RecordType::A), None, "{name}");
        }
    }
}
