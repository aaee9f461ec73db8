//! Base URLs for references.

pub(crate) const BASES: &[&str] = &[
    "http://example.org/",
    "https://example.org/a/b/c.html?x=1",
    "http://127.0.0.1:8080/docs/",
    "http://[::1]:81/x//y/z",
    "https://xn--bcher-kva.example/%7Euser/;p/a",
    "http://example.org//",
    "https://example.org/a?b/c/../d",
    "http://example.org/a/./b/../c/",
    "https://a.b/%2e%2E/x",
    "http://example.org/?",
    "http://u:p@example.org/x#y",
];
