//! TLS: trusted certificates, and the messages for others.

use std::sync::Arc;

use crawler_fetch::{Guard, HttpFetch};
use crawler_model::{FailKind, FetchRules};
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::fetchers::{page, rules, sniff};
use crate::http2;
use crate::server::{HTML, Server, response};

/// A self-signed certificate.
pub(crate) struct Certified {
    pub(crate) certificate: CertificateDer<'static>,
    key: Vec<u8>,
    pem: String,
}

impl Certified {
    pub(crate) fn new(names: &[&str]) -> Self {
        Self::with(names, |_| ())
    }

    fn with(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
            pem: certificate.pem(),
        }
    }

    pub(crate) fn acceptor(&self, protocol: &str) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(self.key.clone()).unwrap();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .unwrap();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    /// Starts a server with this certificate.
    pub(crate) async fn server(&self, protocol: &'static str) -> Server {
        let acceptor = self.acceptor(protocol);
        let wrap = move |stream| {
            let acceptor = acceptor.clone();
            async move { Ok(Box::new(acceptor.accept(stream).await?) as _) }
        };
        let serve = move |mut conn: crate::server::Conn| async move {
            if protocol == "h2" {
                http2::serve_page(conn.stream).await;
                return;
            }
            while conn.request().await.is_some() {
                conn.send(&response("200 OK", HTML, "<p>tls")).await;
            }
        };
        Server::start_over(serve, wrap).await
    }
}

/// Creates a fetcher that trusts one certificate.
pub(crate) fn trusting(rules: &FetchRules, certified: &Certified) -> HttpFetch {
    let roots = vec![certified.certificate.clone()];
    HttpFetch::trusting(rules, 16, Guard::anywhere(), sniff, roots).unwrap()
}

fn https(server: &Server, path: &str) -> String {
    server.url(path).replace("http:", "https:")
}

#[tokio::test]
async fn a_trusted_certificate_is_accepted_and_the_connection_kept() {
    let certified = Certified::new(&["127.0.0.1"]);
    for protocol in ["http/1.1", "h2"] {
        let server = certified.server(protocol).await;
        let fetcher = trusting(&rules(&https(&server, "/")), &certified);
        for _ in 0..20 {
            let got = page(&fetcher, &https(&server, "/")).await.unwrap();
            assert_eq!(crate::fetchers::html(&got), b"<p>tls");
        }
        assert_eq!(server.accepts(), 1, "{protocol}");
    }
}

#[tokio::test]
async fn each_invalid_certificate_has_its_own_message() {
    let trusted = Certified::new(&["127.0.0.1"]);
    let unknown = Certified::with(&["127.0.0.1"], |params| {
        params.distinguished_name.push(DnType::CommonName, "nobody");
    });
    let elsewhere = Certified::new(&["example.org"]);
    let expired = Certified::with(&["127.0.0.1"], |params| {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    });
    let future = Certified::with(&["127.0.0.1"], |params| {
        params.not_before = date_time_ymd(2090, 1, 1);
        params.not_after = date_time_ymd(2091, 1, 1);
    });
    for (presented, trusted, message) in [
        (
            &unknown,
            &trusted,
            "the certificate's issuer is not trusted",
        ),
        (
            &elsewhere,
            &elsewhere,
            "the certificate is not valid for this name",
        ),
        (&expired, &expired, "the certificate has expired"),
        (&future, &future, "the certificate is not valid yet"),
    ] {
        let server = presented.server("http/1.1").await;
        let fetcher = trusting(&rules(&https(&server, "/")), trusted);
        let failure = page(&fetcher, &https(&server, "/")).await.unwrap_err();
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (FailKind::Tls, message)
        );
        assert!(server.heads().is_empty(), "no request may follow");
    }
}

#[tokio::test]
async fn a_plain_server_and_a_closed_connection_fail() {
    let certified = Certified::new(&["127.0.0.1"]);
    let plain = Server::start(|mut conn| async move {
        conn.send(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            .await;
        conn.disconnected().await;
    })
    .await;
    let closing = Server::start(|conn| async move { drop(conn) }).await;
    for (server, message) in [
        (plain, "the server does not speak TLS"),
        (closing, "handshake failed"),
    ] {
        let fetcher = trusting(&rules(&https(&server, "/")), &certified);
        let failure = page(&fetcher, &https(&server, "/")).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Tls);
        assert!(failure.message.starts_with(message), "{failure}");
    }
}

#[tokio::test]
async fn the_message_about_missing_certificates_names_the_remedy() {
    let server = Certified::new(&["127.0.0.1"]).server("h2").await;
    let rules = rules(&https(&server, "/"));
    let fetcher = HttpFetch::trusting(&rules, 4, Guard::anywhere(), sniff, Vec::new()).unwrap();
    let failure = page(&fetcher, &https(&server, "/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Tls);
    assert!(failure.message.contains("set SSL_CERT_FILE"), "{failure}");
}

/// Environment variable with the URL of the server, for the child process.
const CHILD_URL: &str = "FETCH_TEST_CHILD_URL";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ssl_cert_file_replaces_the_system_certificates() {
    let certified = Certified::new(&["127.0.0.1"]);
    let server = certified.server("h2").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roots.pem");
    std::fs::write(&file, &certified.pem).unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "tls::child_that_trusts_the_system", "--ignored"])
        .env("SSL_CERT_FILE", &file)
        .env(CHILD_URL, https(&server, "/"));
    let run = tokio::task::spawn_blocking(move || child.output().unwrap());
    let output = run.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(server.accepts(), 1);
}

#[tokio::test]
#[ignore = "run by the test above in a separate process"]
async fn child_that_trusts_the_system() {
    let url = std::env::var(CHILD_URL).unwrap();
    let got = page(&crate::fetchers::fetcher(&rules(&url)), &url)
        .await
        .unwrap();
    assert_eq!(crate::fetchers::html(&got), b"<p>tls");
}
