//! TLS client: trusted roots and handshake errors.
//!
//! Trusted certificates are loaded on the first https request: a crawl of a plain http site never needs them.

use std::io;
use std::sync::Arc;

use crawler_model::{FailKind, Failure};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Which root certificates are trusted.
#[derive(Clone, Debug)]
pub(crate) enum Trust {
    /// Those of the system, or of `SSL_CERT_FILE`.
    System,
    /// Only these.
    Only(Vec<CertificateDer<'static>>),
}

/// TLS client configuration.
#[derive(Debug)]
pub(crate) struct Tls {
    trust: Trust,
    config: OnceCell<Result<Arc<ClientConfig>, Failure>>,
}

impl Tls {
    pub(crate) fn new(trust: Trust) -> Self {
        Self {
            trust,
            config: OnceCell::new(),
        }
    }

    /// Performs the handshake with `host`, offering HTTP/2 and HTTP/1.1.
    pub(crate) async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let config = self.config().await?;
        // Certificates name hosts without a trailing dot and addresses without brackets.
        let plain = host
            .trim_end_matches('.')
            .trim_matches(|bracket| matches!(bracket, '[' | ']'));
        let name = ServerName::try_from(plain.to_owned())
            .map_err(|_| failure("the host name is not valid in a certificate"))?;
        TlsConnector::from(config)
            .connect(name, stream)
            .await
            .map_err(|error| from_handshake(&error))
    }

    async fn config(&self) -> Result<Arc<ClientConfig>, Failure> {
        let trust = self.trust.clone();
        self.config
            .get_or_init(|| async {
                // This reads hundreds of files on some systems.
                let read = tokio::task::spawn_blocking(move || config(roots(trust)));
                read.await.unwrap_or_else(|_| Err(no_roots()))
            })
            .await
            .clone()
    }
}

fn roots(trust: Trust) -> RootCertStore {
    let certificates = match trust {
        Trust::System => rustls_native_certs::load_native_certs().certs,
        Trust::Only(certificates) => certificates,
    };
    let mut roots = RootCertStore::empty();
    // Old systems have a few certificates that do not parse; the others are used.
    roots.add_parsable_certificates(certificates);
    roots
}

fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, Failure> {
    if roots.is_empty() {
        return Err(no_roots());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| failure("no TLS version is available"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn failure(message: &str) -> Failure {
    Failure::new(FailKind::Tls, message)
}

fn no_roots() -> Failure {
    failure("no trusted certificates found; install ca-certificates or set SSL_CERT_FILE")
}

fn from_handshake(error: &io::Error) -> Failure {
    let tls_error = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    failure(match tls_error {
        Some(rustls::Error::InvalidCertificate(reason)) => certificate_problem(reason),
        Some(rustls::Error::InvalidMessage(_)) => "the server does not speak TLS",
        Some(rustls::Error::PeerIncompatible(_)) => {
            "handshake failed: no TLS version or cipher in common"
        }
        Some(rustls::Error::AlertReceived(_)) => "handshake failed: the server refused it",
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            "handshake failed: the connection was closed"
        }
        None if error.kind() == io::ErrorKind::ConnectionReset => {
            "handshake failed: the connection was reset"
        }
        _ => "handshake failed",
    })
}

fn certificate_problem(reason: &CertificateError) -> &'static str {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate is not valid for this name"
        }
        CertificateError::UnknownIssuer => "the certificate's issuer is not trusted",
        CertificateError::Revoked => "the certificate is revoked",
        CertificateError::BadSignature => "the certificate's signature is wrong",
        _ => "the certificate is not valid",
    }
}
