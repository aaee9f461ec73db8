//! Every named character reference, compared with the oracle's table.

use std::fmt::Write as _;

use html5ever::data::NAMED_ENTITIES;

use crate::agreement::agree;
use crate::oracle::in_order;

#[test]
fn every_name_decodes_to_its_text() {
    // The oracle's table also holds every prefix of a name, marked by a zero.
    let names = NAMED_ENTITIES.entries().filter(|(_, codes)| codes.0 != 0);
    let mut count = 0;
    for (name, codes) in names {
        let codes = [codes.0, codes.1];
        let text: String = codes
            .iter()
            .filter(|code| **code != 0)
            .filter_map(|code| char::from_u32(*code))
            .collect();
        let facts = in_order(format!("<a href=\"&{name}\">").as_bytes());
        assert_eq!(facts[0].1, text, "{name}");
        count += 1;
    }
    assert_eq!(count, 2231);
}

#[test]
fn every_name_and_prefix_in_every_context() {
    // One page per ending: the oracle's parser decides what each name means before it.
    for ending in ["", ";", "=", "x", "1", " ", "&", "-", "é", ";=", "#"] {
        let mut page = String::new();
        for name in NAMED_ENTITIES.keys().filter(|name| !name.is_empty()) {
            write!(page, "<a href=\"{name}:&{name}{ending}\"></a>").unwrap();
        }
        agree(&page);
    }
}

#[test]
fn every_number_that_is_corrected_or_kept() {
    let mut page = String::new();
    let odd = [
        0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFE, 0xFFFF, 0x1_0000, 0x10_FFFF, 0x11_0000,
    ];
    for code in (0..0x200).chain(odd) {
        write!(
            page,
            "<a href='{code}:&#{code};&#x{code:x};&#X{code:X}g'></a>"
        )
        .unwrap();
    }
    agree(&page);
}
