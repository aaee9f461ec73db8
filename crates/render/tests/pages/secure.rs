//! Pages over TLS.
//!
//! Chromium has its own root certificates. The launcher of this test passes a flag that makes it trust one public key;
//! nothing in the crate can do that.

use std::time::Duration;

use crawler_model::{FailKind, RequestSpec};
use testsite::{Pages, Server, SiteResponse, Tls};

use crate::launcher::Launcher;
use crate::test_renderer::{TestRenderer, markup};

fn site(tls: &Tls) -> Server {
    let page = "<title>Safe</title><p id=said>nothing<script>
        fetch('/words').then(answer => answer.text()).then(text => {
            said.textContent = text + (isSecureContext ? ', and secure' : '');
        });
        </script>";
    let pages = Pages::new()
        .html("/", page)
        .page("/words", SiteResponse::text("sent over TLS"))
        .page("/moved", SiteResponse::redirect(302, "/"))
        .page(
            "/gone",
            SiteResponse::new(404, "text/html", "<p>gone").header("Retry-After", "7"),
        );
    Server::start_tls(pages, tls)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_over_tls_is_rendered_with_its_status_and_headers() {
    for tls in [Tls::generate(), Tls::generate().http1_only()] {
        let site = site(&tls);
        let trusting = format!(
            "exec \"$CHROMIUM\" --ignore-certificate-errors-spki-list={} \"$@\"",
            tls.key_hash()
        );
        let launcher = Launcher::new(&trusting);
        let test = TestRenderer::by(Some(&launcher.program), &RequestSpec::default(), |_| ());
        let page = test.document(&site.url("/")).await.unwrap();
        assert_eq!(page.status, 200);
        assert!(
            markup(&page).contains("sent over TLS, and secure"),
            "{page:?}"
        );
        // All bytes of the tunnel, including the handshake.
        assert!(page.wire_bytes > 1_000, "{page:?}");
        let moved = test.document(&site.url("/moved")).await.unwrap();
        assert_eq!((moved.status, moved.location.as_deref()), (302, Some("/")));
        let gone = test.document(&site.url("/gone")).await.unwrap();
        assert_eq!(
            (gone.status, gone.retry_after),
            (404, Some(Duration::from_secs(7)))
        );
        test.renderer.close().await;
        // The same site with a browser that does not trust the key.
        let test = TestRenderer::new(|_| ());
        let failure = test.document(&site.url("/")).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Tls, "{failure}");
        test.renderer.close().await;
    }
}
