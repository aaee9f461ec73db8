//! Invalid TLS certificates: a network failure, and nothing is sent.

use std::io::{Read, Write};
use std::net::TcpListener;

use tempfile::NamedTempFile;
use testsite::{Pages, Server, Tls};

use crate::endings::failures::{NETWORK, check};
use crate::run::Run;

/// The certificate to trust, as a file.
fn authority(tls: &Tls) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(tls.authority_pem().as_bytes()).unwrap();
    file
}

#[test]
fn invalid_certificates() {
    let cases = [
        (
            Tls::generate().self_signed(),
            "the certificate's issuer is not trusted",
        ),
        (
            Tls::generate().unknown_authority(),
            "the certificate's issuer is not trusted",
        ),
        (Tls::generate().expired(), "the certificate has expired"),
        (
            Tls::generate().wrong_host(),
            "the certificate is not valid for this name",
        ),
    ];
    for (tls, message) in cases {
        let secure = Server::start_tls(Pages::new().html("/", "secret"), &tls);
        let plain = Server::start(Pages::new().links("/", &[&secure.url("/")]));
        let authority = authority(&tls);
        let args = [&plain.url("/"), "--format", "ndjson", "--max-attempts", "1"];
        let ended = Run::new(&args)
            .env("SSL_CERT_FILE", authority.path())
            .finish()
            .with_code(0);
        check(&ended, &secure.origin(), &[("/", message, NETWORK, "tls")]);
        assert_eq!(
            secure.total(),
            0,
            "{message}: nothing is sent to an untrusted server"
        );
    }
}

#[test]
fn a_valid_certificate_is_accepted() {
    let tls = Tls::generate();
    let secure = Server::start_tls(Pages::new().html("/", "secret"), &tls);
    let authority = authority(&tls);
    let ended = Run::new(&[secure.url("/")])
        .env("SSL_CERT_FILE", authority.path())
        .finish()
        .with_code(0);
    ended.stderr_lacks("Failed");
}

#[test]
fn plain_http_where_tls_was_expected() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("https://{}", listener.local_addr().unwrap());
    // Never joined: it ends with the test process.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1_024]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let authority = authority(&Tls::generate());
    let seed = format!("{origin}/");
    let args = [&seed, "--format", "ndjson", "--max-attempts", "1"];
    let ended = Run::new(&args)
        .env("SSL_CERT_FILE", authority.path())
        .finish()
        .with_code(1);
    let message = "the server does not speak TLS";
    check(&ended, &origin, &[("/", message, NETWORK, "tls")]);
}

#[test]
fn bad_certificates_of_the_seed() {
    for (tls, message) in [
        (Tls::generate().self_signed(), "issuer is not trusted"),
        (Tls::generate().expired(), "has expired"),
        (Tls::generate().wrong_host(), "not valid for this name"),
    ] {
        let server = Server::start_tls(Pages::new().html("/", "never"), &tls);
        let authority = authority(&tls);
        let ended = Run::new(&[&server.url("/"), "--max-attempts", "1"])
            .env("SSL_CERT_FILE", authority.path())
            .finish()
            .with_code(1);
        let errors = ended.stderr_lines("error: ");
        assert_eq!(errors.len(), 1, "{}", ended.output());
        assert!(
            errors[0].contains(&server.url("/")) && errors[0].contains(message),
            "{}",
            ended.output()
        );
        assert_eq!(server.total(), 0);
        ended.stderr_lacks("--robots ignore");
    }
}
