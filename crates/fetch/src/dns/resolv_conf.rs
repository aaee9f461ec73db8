//! `/etc/resolv.conf`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const MAX_SERVERS: usize = 3;
const MAX_SEARCH: usize = 6;
const MAX_NDOTS: usize = 15;
const DNS_PORT: u16 = 53;

/// The configuration of name resolution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ResolvConf {
    pub(super) servers: Vec<SocketAddr>,
    pub(super) search: Vec<String>,
    /// A name with fewer dots is tried with the search domains first.
    pub(super) ndots: usize,
}

impl Default for ResolvConf {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            search: Vec::new(),
            ndots: 1,
        }
    }
}

impl ResolvConf {
    pub(super) fn parse(text: &str) -> Self {
        let mut conf = Self::default();
        for line in text.lines() {
            if line.starts_with(['#', ';']) {
                continue;
            }
            let mut words = line.split_whitespace();
            match words.next() {
                Some("nameserver") if conf.servers.len() < MAX_SERVERS => {
                    let address = words.next().and_then(|word| word.parse::<IpAddr>().ok());
                    conf.servers
                        .extend(address.map(|address| SocketAddr::new(address, DNS_PORT)));
                }
                // The last one applies.
                Some("search" | "domain") => {
                    let domains = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
                    conf.search = domains
                        .filter(|domain| !domain.is_empty())
                        .take(MAX_SEARCH)
                        .collect();
                }
                Some("options") => {
                    let ndots = words.find_map(|word| word.strip_prefix("ndots:")?.parse().ok());
                    conf.ndots = ndots.map_or(conf.ndots, |ndots: usize| ndots.min(MAX_NDOTS));
                }
                _ => (),
            }
        }
        if conf.servers.is_empty() {
            let local = SocketAddr::from((Ipv4Addr::LOCALHOST, DNS_PORT));
            conf.servers.push(local);
        }
        conf
    }

    /// The names to ask for, in order.
    pub(super) fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(absolute) = name.strip_suffix('.') {
            return vec![absolute.to_owned()];
        }
        let searched = self.search.iter().map(|domain| format!("{name}.{domain}"));
        let mut candidates: Vec<String> = searched.collect();
        let is_long = name.matches('.').count() >= self.ndots;
        let at = if is_long { 0 } else { candidates.len() };
        candidates.insert(at, name.to_owned());
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_container_is_read() {
        let conf = ResolvConf::parse(
            "# made by the runtime\nsearch one.test two.test.\nnameserver 127.0.0.11\nnameserver ::1\nnameserver x\noptions edns0 ndots:2\n",
        );
        let servers: Vec<String> = conf.servers.iter().map(SocketAddr::to_string).collect();
        assert_eq!(servers, ["127.0.0.11:53", "[::1]:53"]);
        assert_eq!(
            conf.candidates("db.host"),
            ["db.host.one.test", "db.host.two.test", "db.host"]
        );
        assert_eq!(
            conf.candidates("a.b.c"),
            ["a.b.c", "a.b.c.one.test", "a.b.c.two.test"]
        );
        assert_eq!(conf.candidates("db."), ["db"]);
    }

    #[test]
    fn without_a_file_the_local_server_is_asked() {
        let conf = ResolvConf::parse("");
        assert_eq!(conf.servers.len(), 1);
        assert_eq!(conf.candidates("host"), ["host"]);
    }
}
