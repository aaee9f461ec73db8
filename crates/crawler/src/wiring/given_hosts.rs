//! The hosts of the URLs given by the user, which rendered pages may load from even if they are private.
//!
//! A page's scripts choose what they load, and must not reach the user's own network. So the browser can reach public addresses
//! and those private ones that were given: an address itself, or the addresses a name has before the first page is loaded. A
//! name that resolves to a public address then allows nothing, even if it resolves to a private one later.

use std::net::IpAddr;

use crawler_fetch::{EgressTarget, Guard};
use crawler_model::FetchRules;
use crawler_weburl::CrawlUrl;
use futures_util::future::join_all;
use tokio::net::lookup_host;
use tokio::time::timeout;

/// Host names and addresses, as written in their URLs.
#[derive(Debug)]
pub struct GivenHosts(Vec<String>);

impl GivenHosts {
    /// Collects the hosts of these URLs.
    pub fn of<'a>(urls: impl IntoIterator<Item = &'a CrawlUrl>) -> Self {
        let hosts = urls.into_iter().map(|url| url.parts().host().to_owned());
        let mut hosts: Vec<String> = hosts.collect();
        hosts.sort_unstable();
        hosts.dedup();
        Self(hosts)
    }

    /// Returns the private addresses that rendered pages may load from. Proxies resolve names themselves, so with proxies
    /// the names are not resolved, and the addresses of the proxies are allowed.
    pub async fn allowed(&self, rules: &FetchRules) -> Vec<EgressTarget> {
        let proxies = rules.proxies.iter().filter_map(|proxy| {
            let url = CrawlUrl::parse(proxy).ok()?;
            Some(url.parts().host().to_owned())
        });
        let proxies: Vec<String> = proxies.collect();
        let literal = self.0.iter().filter(|host| is_literal(host));
        let mut allowed: Vec<EgressTarget> = literal
            .filter_map(|host| EgressTarget::parse(host))
            .collect();
        let names = if proxies.is_empty() {
            &self.0
        } else {
            &proxies
        };
        let lookups = names.iter().map(async |host| {
            // A host that cannot be resolved is reported when it is requested.
            let name = host.trim_start_matches('[').trim_end_matches(']');
            let found = timeout(rules.deadlines.connect, lookup_host((name, 0))).await;
            let found = found.ok().and_then(Result::ok);
            let addresses = found.map(|found| found.map(|address| address.ip()));
            if_all_private(addresses.into_iter().flatten().collect())
        });
        allowed.extend(join_all(lookups).await.into_iter().flatten());
        allowed
    }
}

/// Whether a host needs no lookup: an IP address or `localhost`.
fn is_literal(host: &str) -> bool {
    matches!(
        EgressTarget::parse(host),
        Some(EgressTarget::Network { .. })
    ) || host == "localhost"
}

/// Returns a name's addresses if all of them are private: a name with a public address is not on the user's network.
fn if_all_private(addresses: Vec<IpAddr>) -> Vec<EgressTarget> {
    let public = Guard::public_only();
    let is_public = |address: &IpAddr| public.allows("", *address);
    if addresses.iter().any(is_public) {
        return Vec::new();
    }
    let to_target = |address: IpAddr| EgressTarget::parse(&address.to_string());
    addresses.into_iter().filter_map(to_target).collect()
}

#[cfg(test)]
mod tests {
    use crawler_model::{RequestSpec, ScrapePlan};

    use super::*;

    async fn guard(typed: &[&str], proxies: &[&str]) -> Guard {
        let spec = RequestSpec::default();
        let plan = ScrapePlan::resolve(&spec, "crawler/test").unwrap();
        let mut rules = plan.fetch.clone();
        rules.proxies = proxies.iter().map(|proxy| (*proxy).to_owned()).collect();
        let urls: Vec<CrawlUrl> = typed
            .iter()
            .map(|typed| CrawlUrl::parse(typed).unwrap())
            .collect();
        Guard::new(false, GivenHosts::of(&urls).allowed(&rules).await)
    }

    fn allows(guard: &Guard, host: &str, address: &str) -> bool {
        guard.allows_name(host) && guard.allows(host, address.parse().unwrap())
    }

    #[tokio::test]
    async fn an_address_allows_only_itself() {
        let guard = guard(&["http://127.0.0.1:8000/", "http://[fd00::1]/"], &[]).await;
        assert!(allows(&guard, "127.0.0.1", "127.0.0.1"));
        assert!(allows(&guard, "[fd00::1]", "fd00::1"));
        assert!(allows(&guard, "e.x", "93.184.216.34"));
        for other in ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::1", "fd00::2"] {
            assert!(!allows(&guard, "e.x", other), "{other}");
        }
    }

    #[tokio::test]
    async fn a_public_address_and_an_unknown_name_allow_nothing() {
        let guard = guard(&["http://93.184.216.34/", "http://no-such.invalid/"], &[]).await;
        for host in ["93.184.216.34", "no-such.invalid", "localhost"] {
            assert!(!allows(&guard, host, "127.0.0.1"), "{host}");
        }
    }

    #[tokio::test]
    async fn localhost_allows_its_name_and_address() {
        let guard = guard(&["http://localhost:3000/"], &[]).await;
        assert!(allows(&guard, "localhost", "127.0.0.1"));
        assert!(allows(&guard, "127.0.0.1", "127.0.0.1"));
        assert!(!allows(&guard, "127.0.0.2", "127.0.0.2"));
    }

    #[tokio::test]
    async fn with_a_proxy_names_are_not_resolved_and_the_proxy_is_allowed() {
        let typed = ["http://localhost:3000/", "http://10.0.0.7/"];
        let guard = guard(&typed, &["http://me:secret@127.0.0.3:3128"]).await;
        assert!(allows(&guard, "127.0.0.3", "127.0.0.3"));
        assert!(allows(&guard, "10.0.0.7", "10.0.0.7"));
        assert!(guard.allows_name("localhost"));
        assert!(!allows(&guard, "127.0.0.1", "127.0.0.1"));
    }

    #[test]
    fn a_name_that_is_both_private_and_public_allows_nothing() {
        let addresses = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(
            if_all_private(addresses(&["93.184.216.34", "10.0.0.1"])),
            []
        );
        assert_eq!(if_all_private(addresses(&["93.184.216.34"])), []);
        assert_eq!(if_all_private(addresses(&["10.0.0.1", "::1"])).len(), 2);
    }
}
