//! The addresses of this machine's network interfaces, public ones included.
//!
//! They are read again when they are asked for and older than [`MAX_AGE`], so a change is noticed soon and the cost does
//! not grow with the number of connections.

use std::collections::HashSet;
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use crawler_model::lock;
use tokio::time::Instant;

use crate::special_ranges::embedded_v4;

/// How long the addresses are used before they are read again.
const MAX_AGE: Duration = Duration::from_secs(2);

/// The addresses of this machine.
#[derive(Debug)]
pub(crate) struct OwnAddresses {
    read: fn() -> io::Result<HashSet<IpAddr>>,
    known: Mutex<Option<(HashSet<IpAddr>, Instant)>>,
}

impl OwnAddresses {
    /// Those of the system's interfaces.
    pub(crate) fn of_system() -> Self {
        Self::reading(read_interfaces)
    }

    fn reading(read: fn() -> io::Result<HashSet<IpAddr>>) -> Self {
        Self {
            read,
            known: Mutex::default(),
        }
    }

    /// Whether a connection to this address reaches the machine itself, also through an IPv4 address inside IPv6. If the
    /// addresses could never be read, every address might be one.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let mut known = lock(&self.known);
        let is_old = |(_, at): &(HashSet<IpAddr>, Instant)| at.elapsed() >= MAX_AGE;
        if known.as_ref().is_none_or(is_old)
            && let Ok(addresses) = (self.read)()
        {
            *known = Some((addresses, Instant::now()));
        }
        let Some((own, _)) = &*known else { return true };
        let embedded = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(v6) => embedded_v4(v6),
        };
        own.contains(&address)
            || embedded
                .into_iter()
                .flatten()
                .any(|v4| own.contains(&IpAddr::V4(v4)))
    }
}

#[cfg(unix)]
fn read_interfaces() -> io::Result<HashSet<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs()?;
    let addresses = interfaces.filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|v4| v4.ip().into());
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| v6.ip().into()))
    });
    Ok(addresses.collect())
}

/// Not implemented on this system.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as on Unix")]
fn read_interfaces() -> io::Result<HashSet<IpAddr>> {
    Ok(HashSet::new())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_system_has_a_loopback_address() {
        let own = OwnAddresses::of_system();
        assert!(own.contains("127.0.0.1".parse().unwrap()));
        assert!(!own.contains("192.0.2.77".parse().unwrap()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_address_is_noticed_and_reading_is_bounded() {
        static READS: AtomicUsize = AtomicUsize::new(0);
        let own = OwnAddresses::reading(|| {
            let last = READS.fetch_add(1, Ordering::Relaxed);
            if last == 2 {
                return Err(io::Error::other("no file descriptors"));
            }
            let last = u8::try_from(last).map_err(io::Error::other)?;
            Ok(HashSet::from([IpAddr::from([93, 184, 216, last])]))
        });
        let contains = |text: &str| own.contains(text.parse().unwrap());
        for _ in 0..1_000 {
            assert!(contains("93.184.216.0"));
            assert!(!contains("93.184.216.1"));
        }
        assert_eq!(READS.load(Ordering::Relaxed), 1);
        tokio::time::advance(MAX_AGE).await;
        for spelling in [
            "93.184.216.1",
            "::ffff:93.184.216.1",
            "64:ff9b::93.184.216.1",
            "64:ff9b:1::93.184.216.1",
            "2002:5db8:d801::1",
        ] {
            assert!(contains(spelling), "{spelling}");
        }
        assert!(!contains("93.184.216.0"));
        // The addresses that were read last remain in use if they cannot be read again.
        tokio::time::advance(MAX_AGE).await;
        assert!(contains("93.184.216.1"));
        assert!(!contains("93.184.216.9"));
    }

    #[test]
    fn addresses_that_cannot_be_read_refuse_everything() {
        let own = OwnAddresses::reading(|| Err(io::Error::other("no file descriptors")));
        assert!(own.contains("93.184.216.34".parse().unwrap()));
    }
}
