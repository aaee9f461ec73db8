//! A forward proxy for absolute-form requests and CONNECT tunnels. It can route every connection to one address, so
//! that a test can crawl `http://example.com/` locally.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::connection::{ServerContext, read_request};
use crate::{LoggedRequest, Request, Server, ServerSetup, SiteResponse};

/// Credentials and routing of a proxy.
#[derive(Debug, Clone, Default)]
pub struct ProxyRules {
    /// User and password that a client must send (Basic); other clients get 407.
    pub credentials: Option<(String, String)>,
    /// Address for every connection, whatever host was requested.
    pub route: Option<SocketAddr>,
}

/// A running proxy; it stops when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    server: Server,
}

impl Proxy {
    /// Starts a proxy without credentials.
    pub fn start() -> Self {
        Self::start_with(ProxyRules::default())
    }

    /// Starts a proxy that requires a user and a password.
    pub fn start_guarded(user: &str, password: &str) -> Self {
        Self::start_with(ProxyRules {
            credentials: Some((user.to_owned(), password.to_owned())),
            route: None,
        })
    }

    /// Starts a proxy that routes every host to one address.
    pub fn start_routed(route: SocketAddr) -> Self {
        Self::start_with(ProxyRules {
            credentials: None,
            route: Some(route),
        })
    }

    /// Starts a proxy with these rules.
    pub fn start_with(rules: ProxyRules) -> Self {
        let expected = rules.credentials.map(|(user, password)| {
            let pair = format!("{user}:{password}");
            format!("Basic {}", base64(pair.as_bytes()))
        });
        let rules = Arc::new((expected, rules.route));
        let nothing = Arc::new(|_: &Request| SiteResponse::status(404));
        let server = Server::spawn(
            nothing,
            ServerSetup::default(),
            false,
            move |stream, context| {
                let rules = Arc::clone(&rules);
                tokio::spawn(
                    async move { serve(stream, context, rules.0.as_deref(), rules.1).await },
                );
            },
        );
        Self { server }
    }

    /// Returns `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        self.server.origin()
    }

    /// Returns the URL with a user and a password.
    pub fn url_with(&self, user: &str, password: &str) -> String {
        format!("http://{user}:{password}@{}", self.server.addr())
    }

    /// Returns the address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// Returns every request, including refused ones; the target is an absolute URL, or `host:port` for CONNECT.
    pub fn hits(&self) -> Vec<LoggedRequest> {
        self.server.hits()
    }

    /// Returns the number of requests.
    pub fn total(&self) -> u64 {
        self.server.total()
    }
}

async fn serve(
    mut client: TcpStream,
    context: ServerContext,
    expected: Option<&str>,
    route: Option<SocketAddr>,
) -> Option<()> {
    let mut read_buffer = BytesMut::new();
    let request = read_request(&mut client, &mut read_buffer, &context).await?;
    let _entry = context.log.open(&request);
    if expected.is_some() && request.header("proxy-authorization") != expected {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\n\
            Proxy-Authenticate: Basic realm=\"test\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return client.write_all(refusal.as_bytes()).await.ok();
    }
    let tunnel = request.method() == "CONNECT";
    let (authority, target) = if tunnel {
        (request.target().to_owned(), String::new())
    } else {
        split_absolute(request.target())?
    };
    let dialed = match route {
        Some(address) => TcpStream::connect(address).await,
        None => TcpStream::connect(&authority).await,
    };
    let Ok(mut upstream) = dialed else {
        let failure = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return client.write_all(failure.as_bytes()).await.ok();
    };
    if tunnel {
        let welcome = b"HTTP/1.1 200 Connection established\r\n\r\n";
        client.write_all(welcome).await.ok()?;
    } else {
        upstream
            .write_all(&forwarded(&request, &target))
            .await
            .ok()?;
    }
    upstream.write_all(&read_buffer).await.ok()?;
    tokio::io::copy_bidirectional(&mut client, &mut upstream)
        .await
        .ok()?;
    Some(())
}

/// Splits `http://host/path` into `host:port` and `/path`.
fn split_absolute(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("http://")?;
    let (authority, target) = match rest.find(['/', '?']) {
        Some(position) if rest[position..].starts_with('?') => {
            (&rest[..position], format!("/{}", &rest[position..]))
        }
        Some(position) => (&rest[..position], rest[position..].to_owned()),
        None => (rest, "/".to_owned()),
    };
    let host = authority.rsplit('@').next()?;
    let has_port = host.rsplit(']').next()?.contains(':');
    let authority = if has_port {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    Some((authority, target))
}

/// Returns the request for the origin server, without proxy headers.
fn forwarded(request: &Request, target: &str) -> Vec<u8> {
    let mut head = format!("{} {target} HTTP/1.1\r\n", request.method());
    for (name, value) in request.headers() {
        let lower = name.to_ascii_lowercase();
        if lower != "connection" && !lower.starts_with("proxy-") {
            write!(head, "{name}: {value}\r\n").ok();
        }
    }
    head.push_str("Via: 1.1 test\r\nConnection: close\r\n\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(request.body());
    bytes
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let padded = [0, 1, 2].map(|position| u32::from(group.get(position).copied().unwrap_or(0)));
        let bits = padded[0] << 16 | padded[1] << 8 | padded[2];
        for position in 0..4 {
            if position <= group.len() {
                let index = bits >> (18 - 6 * position) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{base64, split_absolute};

    #[test]
    fn base64_is_padded() {
        for (plain, coded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn absolute_targets_are_split() {
        for (url, authority, target) in [
            ("http://a.example/x?y", "a.example:80", "/x?y"),
            ("http://a.example:81", "a.example:81", "/"),
            ("http://a.example?y", "a.example:80", "/?y"),
            ("http://[::1]/", "[::1]:80", "/"),
            ("http://[::1]:8080/", "[::1]:8080", "/"),
        ] {
            let split = (authority.to_owned(), target.to_owned());
            assert_eq!(split_absolute(url), Some(split), "{url}");
        }
    }
}
