//! Pages over TLS.
//!
//! Chromium brings its own roots, and no certificate of a test can be among them. It can be told to take one public key for
//! good, whoever vouches for it: the launcher of this test does that, and nothing in the crate can.

use std::time::Duration;

use model::{FailKind, ScrapeSpec};
use testsite::{Answer, Pages, Server, Tls};

use crate::launcher::Launcher;
use crate::stage::{Stage, markup};

fn site(tls: &Tls) -> Server {
    let page = "<title>Safe</title><p id=said>nothing<script>
        fetch('/words').then(answer => answer.text()).then(text => {
            said.textContent = text + (isSecureContext ? ', and secure' : '');
        });
        </script>";
    let pages = Pages::new()
        .html("/", page)
        .page("/words", Answer::text("sent over TLS"))
        .page("/moved", Answer::redirect(302, "/"))
        .page(
            "/gone",
            Answer::new(404, "text/html", "<p>gone").header("Retry-After", "7"),
        );
    Server::start_tls(pages, tls)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_over_tls_is_rendered_and_its_head_is_known() {
    for tls in [Tls::generate(), Tls::generate().http1_only()] {
        let site = site(&tls);
        let trusting = format!(
            "exec \"$CHROMIUM\" --ignore-certificate-errors-spki-list={} \"$@\"",
            tls.key_hash()
        );
        let launcher = Launcher::new(&trusting);
        let stage = Stage::by(Some(&launcher.program), &ScrapeSpec::default(), |_| ());
        let page = stage.document(&site.url("/")).await.unwrap();
        assert_eq!(page.status, 200);
        assert!(
            markup(&page).contains("sent over TLS, and secure"),
            "{page:?}"
        );
        // The bytes of the tunnel, the handshake among them.
        assert!(page.wire_bytes > 1_000, "{page:?}");
        let moved = stage.document(&site.url("/moved")).await.unwrap();
        assert_eq!((moved.status, moved.location.as_deref()), (302, Some("/")));
        let gone = stage.document(&site.url("/gone")).await.unwrap();
        assert_eq!(
            (gone.status, gone.retry_after),
            (404, Some(Duration::from_secs(7)))
        );
        stage.renderer.close().await;
        // The same site, and a browser that was told nothing.
        let stage = Stage::new(|_| ());
        let failure = stage.document(&site.url("/")).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Tls, "{failure}");
        stage.renderer.close().await;
    }
}
