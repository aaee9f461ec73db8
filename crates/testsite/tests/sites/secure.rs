//! TLS, HTTP/2 and the proxy, from a client that trusts the generated authority.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use testsite::{Graph, Pages, Proxy, Request, Server, SiteResponse, Tls};

use crate::raw_client;

fn client(tls: &Tls, protocol: &str) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(tls.authority_pem().as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    Arc::new(config)
}

fn get(server: &Server, tls: &Tls) -> std::io::Result<String> {
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let session = ClientConnection::new(client(tls, "http/1.1"), name).unwrap();
    let socket = TcpStream::connect(server.addr())?;
    socket.set_read_timeout(Some(Duration::from_millis(500)))?;
    let mut stream = StreamOwned::new(session, socket);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn a_valid_certificate_is_trusted_and_invalid_ones_are_not() {
    let site = || Pages::new().html("/", "secret");
    let good = Tls::generate();
    let server = Server::start_tls(site(), &good);
    assert!(server.url("/").starts_with("https://127.0.0.1:"));
    assert!(get(&server, &good).unwrap().ends_with("secret"));
    for (tls, message) in [
        (Tls::generate().expired(), "Expired"),
        (Tls::generate().wrong_host(), "NotValidForName"),
        (Tls::generate().self_signed(), "UnknownIssuer"),
        (Tls::generate().unknown_authority(), "UnknownIssuer"),
    ] {
        let server = Server::start_tls(site(), &tls);
        let problem = format!("{:?}", get(&server, &tls).unwrap_err());
        assert!(problem.contains(message), "{message}: {problem}");
    }
    let tls = Tls::generate().stalled();
    let server = Server::start_tls(site(), &tls);
    let problem = get(&server, &tls).unwrap_err();
    assert_eq!(problem.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn http2_works_and_sends_goaway() {
    let tls = Tls::generate().goaway_every(7).max_streams(4);
    let graph = Graph::new(50);
    let server = Server::start_tls(graph.site(), &tls);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let pages = runtime.block_on(async {
        let connector = tokio_rustls::TlsConnector::from(client(&tls, "h2"));
        let socket = tokio::net::TcpStream::connect(server.addr()).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = connector.connect(name, socket).await.unwrap();
        let io = TokioIo::new(stream);
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
                .await
                .unwrap();
        tokio::spawn(connection);
        let mut seen = 0;
        for page in 0..20 {
            let request = http::Request::get(server.url(&graph.path(page)));
            let request = request.body(Empty::<bytes::Bytes>::new()).unwrap();
            if sender.ready().await.is_err() {
                break;
            }
            let Ok(response) = sender.send_request(request).await else {
                break;
            };
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, graph.body(page));
            seen += 1;
        }
        seen
    });
    assert!((7..20).contains(&pages), "{pages}");
    assert_eq!(server.connections(), 1);
    assert_eq!(server.count("/p/3"), 1);
}

#[test]
fn the_proxy_forwards_and_tunnels() {
    let server = Server::start(|request: &Request| SiteResponse::text(request.target().to_owned()));
    let proxy = Proxy::start();
    let url = server.url("/a?b");
    let got = raw_client::text(proxy.addr(), &url);
    assert!(got.ends_with("\r\n\r\n/a?b"), "{got}");
    assert_eq!(proxy.hits()[0].path_and_query, url);

    let mut tunnel = TcpStream::connect(proxy.addr()).unwrap();
    write!(tunnel, "CONNECT {} HTTP/1.1\r\n\r\n", server.addr()).unwrap();
    let mut welcome = [0; 39];
    tunnel.read_exact(&mut welcome).unwrap();
    assert!(welcome.starts_with(b"HTTP/1.1 200 "));
    tunnel
        .write_all(b"GET /in HTTP/1.1\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut inside = String::new();
    tunnel.read_to_string(&mut inside).unwrap();
    assert!(inside.ends_with("/in"), "{inside}");

    let routed = Proxy::start_routed(server.addr());
    assert!(raw_client::text(routed.addr(), "http://far.example/x").ends_with("/x"));

    let guarded = Proxy::start_guarded("user", "word");
    assert!(raw_client::text(guarded.addr(), &url).starts_with("HTTP/1.1 407 "));
    let mut authorized = TcpStream::connect(guarded.addr()).unwrap();
    write!(
        authorized,
        "GET {url} HTTP/1.1\r\nProxy-Authorization: Basic dXNlcjp3b3Jk\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    authorized.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    assert_eq!(server.hits().last().unwrap().headers[0].0, "Via");
}
