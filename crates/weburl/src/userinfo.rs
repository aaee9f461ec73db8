//! The user name and password of a seed, kept apart from the URL itself.

use std::fmt;

/// Credentials of a seed; `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct Userinfo {
    /// The user name, percent-decoded.
    pub user: String,
    /// The password, percent-decoded; empty when none was given.
    pub password: String,
}

impl Userinfo {
    /// The userinfo of a URL, if it has any.
    pub fn of(typed: &str) -> Option<Self> {
        let parsed = url::Url::parse(typed.trim()).ok()?;
        if parsed.username().is_empty() && parsed.password().is_none() {
            return None;
        }
        Some(Self {
            user: percent_decoded(parsed.username()),
            password: percent_decoded(parsed.password().unwrap_or_default()),
        })
    }
}

fn percent_decoded(text: &str) -> String {
    // `form_urlencoded` decodes `+` as well, which userinfo must keep.
    let mut decoded = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match (
            bytes[at],
            escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()),
        ) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

impl fmt::Debug for Userinfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Userinfo(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn userinfo_is_extracted_and_redacted() {
        let found = Userinfo::of("https://me:s%3Acret+x@example.org/").unwrap();
        assert_eq!(
            (found.user.as_str(), found.password.as_str()),
            ("me", "s:cret+x")
        );
        assert!(!format!("{found:?}").contains("cret"));
        assert_eq!(Userinfo::of("https://example.org/"), None);
    }
}
