//! Spellings of URLs whose address is not public.

use std::fmt::Write as _;

/// Networks that are not public: loopback, "this host", private, carrier-grade NAT, link-local, cloud metadata, for
/// documentation, for benchmarks, reserved. Most are loopback, where a listener can be.
const NETWORKS: [([u8; 2], u8); 14] = [
    ([127, 0], 20),
    ([127, 8], 8),
    ([127, 255], 8),
    ([0, 0], 3),
    ([10, 0], 6),
    ([10, 255], 3),
    ([172, 16], 4),
    ([172, 31], 3),
    ([192, 168], 6),
    ([100, 64], 3),
    ([100, 127], 2),
    ([169, 254], 4),
    ([198, 19], 2),
    ([240, 1], 2),
];
/// Metadata endpoints of clouds, and what listens on all addresses.
const ENDPOINTS: [[u8; 4]; 6] = [
    [127, 0, 0, 1],
    [0, 0, 0, 0],
    [169, 254, 169, 254],
    [100, 100, 100, 200],
    [168, 63, 129, 16],
    [192, 0, 2, 1],
];

/// Returns more than 3,000 URLs with this port. A guard that allows only public addresses must refuse all that a parser
/// accepts and that have not the host `example.org`.
pub fn private_urls(port: u16) -> Vec<String> {
    let numbered = NETWORKS.into_iter().flat_map(|([a, b], count)| {
        let host = move |number: u8| [a, b, number.wrapping_mul(37), number.wrapping_add(1)];
        (0..count).map(host)
    });
    let all = ENDPOINTS.into_iter().chain(numbered);
    let port = port.to_string();
    all.flat_map(spellings)
        .map(|url| url.replace("PORT", &port))
        .collect()
}

fn mapped_digits(text: &str, digit: impl Fn(u32) -> char) -> String {
    text.chars()
        .map(|c| c.to_digit(10).map_or(c, &digit))
        .collect()
}

fn offset(first: char, by: u32) -> char {
    char::from_u32(u32::from(first) + by).unwrap()
}

/// All spellings that some URL parser accepts for an address; `PORT` is a placeholder.
fn spellings([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let bits = u32::from_be_bytes([a, b, c, d]);
    let (low24, low16) = (bits & 0xff_ffff, bits & 0xffff);
    let dotted = format!("{a}.{b}.{c}.{d}");
    let (high, low) = (bits >> 16, low16);
    let inverted = !bits;
    let circled = |digit: u32| match digit {
        0 => '⓪',
        digit => offset('①', digit - 1),
    };
    let escaped = dotted.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}");
        text
    });
    let hosts = vec![
        dotted.clone(),
        format!("{dotted}."),
        format!("{bits}"),
        format!("{bits}."),
        format!("0x{bits:x}"),
        format!("0X{bits:08X}"),
        format!("0x{bits:016x}"),
        format!("0{bits:o}"),
        format!("000{bits:o}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0000{a:o}.{b}.{c}.{d}"),
        format!("0x{a:x}.{b}.0{c:o}.{d}"),
        format!("{a}.{low24}"),
        format!("{a}.0x{low24:x}"),
        format!("{a}.{b}.{low16}"),
        format!("0{a:o}.0x{b:x}.{low16}"),
        mapped_digits(&dotted, |digit| offset('０', digit)),
        mapped_digits(&dotted, circled),
        mapped_digits(&dotted, |digit| offset('𝟎', digit)),
        mapped_digits(&dotted, |digit| offset('𝟶', digit)),
        dotted.replace('.', "。"),
        dotted.replace('.', "．"),
        dotted.replace('.', "｡"),
        dotted.replace('.', "%2e"),
        dotted.replace('.', "%E3%80%82"),
        escaped,
        dotted.replacen('.', "\t.", 1),
        dotted.replacen('.', "\u{ad}.", 1),
        format!("example.org@{dotted}"),
        format!("example.org:pass@{dotted}"),
        format!("example.org%23@{dotted}"),
        format!("a@b@{dotted}"),
        format!("[::ffff:{dotted}]"),
        format!("[::FFFF:{high:X}:{low:X}]"),
        format!("[0:0:0:0:0:ffff:{high:x}:{low:x}]"),
        format!("[::{dotted}]"),
        format!("[::{high:x}:{low:x}]"),
        format!("[::ffff:0:{dotted}]"),
        format!("[64:ff9b::{dotted}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b:1::{dotted}]"),
        format!("[2002:{high:x}:{low:x}::]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:{high:x}:{low:x}::]"),
        format!(
            "[2001:0:808:808:0:0:{:x}:{:x}]",
            inverted >> 16,
            inverted & 0xffff
        ),
    ];
    let mut urls: Vec<String> = hosts
        .iter()
        .map(|host| format!("http://{host}:PORT/"))
        .collect();
    urls.push(format!("HtTp:\\\\{dotted}:PORT\\"));
    urls.push(format!("http:////{dotted}:PORT/"));
    urls.push(format!("http:{dotted}:PORT"));
    urls.push(format!("http://{dotted}:PORT\\@example.org/"));
    urls.push(format!("http://example.org\\@{dotted}:PORT/"));
    urls
}
