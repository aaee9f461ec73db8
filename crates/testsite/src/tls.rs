//! Certificates for tests: a new authority, and every kind of invalid server certificate.

use std::path::Path;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData, date_time_ymd,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, crypto};
use tokio_rustls::TlsAcceptor;

use crate::proxy::base64;

/// TLS settings of a server. [`Tls::generate`] is valid for `localhost`, `127.0.0.1` and `[::1]` and offers HTTP/2 and
/// HTTP/1.1.
#[derive(Debug)]
pub struct Tls {
    authority: Issuer<'static, KeyPair>,
    authority_pem: String,
    key: KeyPair,
    flaw: Flaw,
    pub(crate) stalled: bool,
    offered: Vec<Vec<u8>>,
    pub(crate) goaway_every: Option<u32>,
    pub(crate) max_streams: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    Expired,
    WrongHost,
    SelfSigned,
    UnknownAuthority,
}

impl Tls {
    /// Creates a new authority, which signs the certificate unless configured otherwise.
    pub fn generate() -> Self {
        let (authority, authority_pem) = new_authority("test authority");
        Self {
            authority,
            authority_pem,
            key: KeyPair::generate().unwrap(),
            flaw: Flaw::None,
            stalled: false,
            offered: vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            goaway_every: None,
            max_streams: None,
        }
    }

    /// Returns the certificate of the authority, for a client that should trust it.
    pub fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    /// Writes the certificate of the authority, for `SSL_CERT_FILE`.
    pub fn write_authority(&self, path: &Path) {
        std::fs::write(path, &self.authority_pem).unwrap();
    }

    /// Writes the certificate and the key of the server, for another program.
    pub fn write_server(&self, certificate: &Path, key: &Path) {
        std::fs::write(certificate, self.certificate().pem()).unwrap();
        std::fs::write(key, self.key.serialize_pem()).unwrap();
    }

    /// Returns the SHA-256 of the server's public key in base64, for a browser that is started to trust this key.
    pub fn key_hash(&self) -> String {
        let suite = crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
        let sha256 = suite.tls13().unwrap().common.hash_provider;
        let hash = sha256.hash(&self.key.subject_public_key_info());
        base64(hash.as_ref())
    }

    /// The certificate expired in 2021.
    #[must_use]
    pub fn expired(mut self) -> Self {
        self.flaw = Flaw::Expired;
        self
    }

    /// The certificate is for `elsewhere.example`.
    #[must_use]
    pub fn wrong_host(mut self) -> Self {
        self.flaw = Flaw::WrongHost;
        self
    }

    /// The certificate is self-signed.
    #[must_use]
    pub fn self_signed(mut self) -> Self {
        self.flaw = Flaw::SelfSigned;
        self
    }

    /// The certificate is signed by an unknown authority.
    #[must_use]
    pub fn unknown_authority(mut self) -> Self {
        self.flaw = Flaw::UnknownAuthority;
        self
    }

    /// The connection is accepted, but the handshake never completes.
    #[must_use]
    pub fn stalled(mut self) -> Self {
        self.stalled = true;
        self
    }

    /// Offers only HTTP/1.1.
    #[must_use]
    pub fn http1_only(mut self) -> Self {
        self.offered = vec![b"http/1.1".to_vec()];
        self
    }

    /// Offers only HTTP/2.
    #[must_use]
    pub fn http2_only(mut self) -> Self {
        self.offered = vec![b"h2".to_vec()];
        self
    }

    /// Sends GOAWAY on an HTTP/2 connection after this many requests.
    #[must_use]
    pub fn goaway_every(mut self, requests: u32) -> Self {
        self.goaway_every = Some(requests);
        self
    }

    /// Limits the concurrent streams on an HTTP/2 connection.
    #[must_use]
    pub fn max_streams(mut self, streams: u32) -> Self {
        self.max_streams = Some(streams);
        self
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let chain = vec![self.certificate().der().clone()];
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        let provider = Arc::new(crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols.clone_from(&self.offered);
        TlsAcceptor::from(Arc::new(config))
    }

    fn certificate(&self) -> Certificate {
        let key = &self.key;
        let params = self.leaf();
        let certificate = match self.flaw {
            Flaw::SelfSigned => params.self_signed(key),
            Flaw::UnknownAuthority => params.signed_by(key, &new_authority("another authority").0),
            Flaw::None | Flaw::Expired | Flaw::WrongHost => params.signed_by(key, &self.authority),
        };
        certificate.unwrap()
    }

    fn leaf(&self) -> CertificateParams {
        let names: &[&str] = match self.flaw {
            Flaw::WrongHost => &["elsewhere.example"],
            _ => &["localhost", "127.0.0.1", "::1"],
        };
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = match self.flaw {
            Flaw::Expired => date_time_ymd(2021, 1, 1),
            _ => date_time_ymd(2120, 1, 1),
        };
        params
    }
}

fn new_authority(name: &str) -> (Issuer<'static, KeyPair>, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2120, 1, 1);
    let pem = params.self_signed(&key).unwrap().pem();
    (Issuer::new(params, key), pem)
}
