//! The hosts somebody typed, and what follows for the pages a browser renders.
//!
//! A page's scripts choose what they load, and whoever wrote them must not see the reader's own network. So a browser gets to
//! public addresses and, of the others, to those that were typed: an address as it stands, a name by the addresses it has
//! before the first page is loaded. A name that is public then allows nothing, whatever it turns into later.

use std::net::IpAddr;

use fetch::{Allowed, Guard};
use futures_util::future::join_all;
use model::FetchRules;
use tokio::net::lookup_host;
use tokio::time::timeout;
use weburl::CrawlUrl;

/// Hosts, as their URLs write them.
#[derive(Debug)]
pub(crate) struct TypedHosts(Vec<String>);

impl TypedHosts {
    pub(crate) fn of<'a>(urls: impl IntoIterator<Item = &'a CrawlUrl>) -> Self {
        let hosts = urls.into_iter().map(|url| url.parts().host().to_owned());
        let mut hosts: Vec<String> = hosts.collect();
        hosts.sort_unstable();
        hosts.dedup();
        Self(hosts)
    }

    /// What pages may load besides what is public. With proxies a name's addresses are theirs to know, and they were typed too.
    pub(crate) async fn allowed(&self, rules: &FetchRules) -> Vec<Allowed> {
        let proxies = rules.proxies.iter().filter_map(|typed| {
            let url = CrawlUrl::parse(typed).ok()?;
            Some(url.parts().host().to_owned())
        });
        let proxies: Vec<String> = proxies.collect();
        let as_they_are = self.0.iter().filter(|host| stands_for_itself(host));
        let mut allowed: Vec<Allowed> = as_they_are
            .filter_map(|host| Allowed::parse(host))
            .collect();
        let looked_up = if proxies.is_empty() {
            &self.0
        } else {
            &proxies
        };
        let found = looked_up.iter().map(async |host| {
            // A host that is not found now is told of when it is asked for.
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let found = timeout(rules.deadlines.connect, lookup_host((bare, 0))).await;
            let found = found.ok().and_then(Result::ok);
            let addresses = found.map(|found| found.map(|address| address.ip()));
            private(addresses.into_iter().flatten().collect())
        });
        allowed.extend(join_all(found).await.into_iter().flatten());
        allowed
    }
}

/// Whether a host is an address, or the name that means this machine everywhere.
fn stands_for_itself(host: &str) -> bool {
    matches!(Allowed::parse(host), Some(Allowed::Network { .. })) || host == "localhost"
}

/// A name's addresses, if they are all private: one that is both here and out there belongs to somebody out there.
fn private(addresses: Vec<IpAddr>) -> Vec<Allowed> {
    let public = Guard::public_only();
    let is_public = |address: &IpAddr| public.allows("", *address);
    if addresses.iter().any(is_public) {
        return Vec::new();
    }
    let exactly = |address: IpAddr| Allowed::parse(&address.to_string());
    addresses.into_iter().filter_map(exactly).collect()
}

#[cfg(test)]
mod tests {
    use model::{ScrapePlan, ScrapeSpec};

    use super::*;

    async fn guard(typed: &[&str], proxies: &[&str]) -> Guard {
        let spec = ScrapeSpec::default();
        let mut rules = ScrapePlan::resolve(&spec, "crawler/test").unwrap().fetch;
        rules.proxies = proxies.iter().map(|proxy| (*proxy).to_owned()).collect();
        let urls: Vec<CrawlUrl> = typed
            .iter()
            .map(|typed| CrawlUrl::parse(typed).unwrap())
            .collect();
        Guard::new(false, TypedHosts::of(&urls).allowed(&rules).await)
    }

    fn allows(guard: &Guard, host: &str, address: &str) -> bool {
        guard.allows_name(host) && guard.allows(host, address.parse().unwrap())
    }

    #[tokio::test]
    async fn an_address_opens_itself_and_no_other() {
        let guard = guard(&["http://127.0.0.1:8000/", "http://[fd00::1]/"], &[]).await;
        assert!(allows(&guard, "127.0.0.1", "127.0.0.1"));
        assert!(allows(&guard, "[fd00::1]", "fd00::1"));
        assert!(allows(&guard, "e.x", "93.184.216.34"));
        for other in ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::1", "fd00::2"] {
            assert!(!allows(&guard, "e.x", other), "{other}");
        }
    }

    #[tokio::test]
    async fn a_public_address_and_a_name_nobody_knows_open_nothing() {
        let guard = guard(&["http://93.184.216.34/", "http://no-such.invalid/"], &[]).await;
        for host in ["93.184.216.34", "no-such.invalid", "localhost"] {
            assert!(!allows(&guard, host, "127.0.0.1"), "{host}");
        }
    }

    #[tokio::test]
    async fn localhost_opens_this_machine_by_name_and_address() {
        let guard = guard(&["http://localhost:3000/"], &[]).await;
        assert!(allows(&guard, "localhost", "127.0.0.1"));
        assert!(allows(&guard, "127.0.0.1", "127.0.0.1"));
        assert!(!allows(&guard, "127.0.0.2", "127.0.0.2"));
    }

    #[tokio::test]
    async fn with_a_proxy_names_are_not_looked_up_and_the_proxy_may_be_dialled() {
        let typed = ["http://localhost:3000/", "http://10.0.0.7/"];
        let guard = guard(&typed, &["http://me:secret@127.0.0.3:3128"]).await;
        assert!(allows(&guard, "127.0.0.3", "127.0.0.3"));
        assert!(allows(&guard, "10.0.0.7", "10.0.0.7"));
        assert!(guard.allows_name("localhost"));
        assert!(!allows(&guard, "127.0.0.1", "127.0.0.1"));
    }

    #[test]
    fn a_name_that_is_both_private_and_public_opens_nothing() {
        let addresses = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(private(addresses(&["93.184.216.34", "10.0.0.1"])), []);
        assert_eq!(private(addresses(&["93.184.216.34"])), []);
        assert_eq!(private(addresses(&["10.0.0.1", "::1"])).len(), 2);
    }
}
