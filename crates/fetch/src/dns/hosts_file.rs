//! `/etc/hosts`.

use std::collections::HashMap;
use std::net::IpAddr;

/// The addresses of names, in lower case.
#[derive(Clone, Default, Debug)]
pub(super) struct HostsFile(HashMap<String, Vec<IpAddr>>);

impl HostsFile {
    pub(super) fn parse(text: &str) -> Self {
        let mut names: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for line in text.lines() {
            let mut words = line
                .split('#')
                .next()
                .unwrap_or_default()
                .split_whitespace();
            let Some(address) = words.next().and_then(|word| word.parse().ok()) else {
                continue;
            };
            for name in words {
                let addresses = names.entry(name.to_ascii_lowercase()).or_default();
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
        }
        Self(names)
    }

    /// The addresses of a name in lower case, without a dot at its end.
    pub(super) fn addresses(&self, name: &str) -> Option<&[IpAddr]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_of_a_line_has_the_address() {
        let hosts = HostsFile::parse(
            "127.0.0.1 localhost\n::1 localhost ip6-localhost # a comment\n\n# 1.2.3.4 none\n10.0.0.7\tDB.internal db\nnonsense x\n",
        );
        let addresses = |name| hosts.addresses(name).map(|found| format!("{found:?}"));
        assert_eq!(addresses("localhost").as_deref(), Some("[127.0.0.1, ::1]"));
        assert_eq!(addresses("db").as_deref(), Some("[10.0.0.7]"));
        assert_eq!(addresses("db.internal").as_deref(), Some("[10.0.0.7]"));
        assert_eq!((addresses("none"), addresses("x")), (None, None));
    }
}
