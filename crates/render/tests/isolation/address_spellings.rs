//! No spelling of a private address can be rendered. Some of thousands are tried, all by `cargo xtask egress`.

use std::sync::Arc;

use crawler_fetch::{Guard, HttpFetch};
use crawler_model::FailKind;
use crawler_render::RenderSettings;
use crawler_weburl::CrawlUrl;
use futures_util::StreamExt;
use futures_util::stream;
use testsite::{PRIVATE_HOSTS, SpellingSample, private_urls};

use crate::canary::Canary;
use crate::renderers::{page, renderer_over, rules};

/// One in how many is tried in the short form.
const SAMPLE: usize = 97;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_spelling_of_a_private_address_is_refused() {
    let canaries = ["127.0.0.1", "::1"].map(Canary::new);
    let http = HttpFetch::new(
        &rules(),
        8,
        Guard::public_only(),
        crawler_html::looks_like_html,
    )
    .unwrap();
    let renderer = Arc::new(renderer_over(http, RenderSettings::default()));
    let ports = canaries.each_ref().map(|canary| canary.address.port());
    let hosts = PRIVATE_HOSTS.iter().flat_map(|host| {
        let both = ["http", "https"].into_iter();
        both.flat_map(move |scheme| ports.map(|port| format!("{scheme}://{host}:{port}/")))
    });
    let sample = SpellingSample::one_of(SAMPLE);
    // What is no URL is not rendered, and the host of some is example.org, which no test may contact.
    let spelled = private_urls(ports[0])
        .into_iter()
        .filter(|url| CrawlUrl::parse(url).is_ok_and(|url| url.parts().host() != "example.org"));
    let urls: Vec<String> = hosts.chain(sample.of(spelled)).collect();
    let count = urls.len();
    let urls = urls.into_iter();
    let ends: Vec<_> = stream::iter(urls)
        .map(|url| {
            let renderer = Arc::clone(&renderer);
            async move {
                let failure = page(&renderer, &url).await.unwrap_err();
                (url, failure)
            }
        })
        .buffer_unordered(4)
        .collect()
        .await;
    assert_eq!(ends.len(), count);
    for (url, failure) in ends {
        assert_eq!(failure.kind, FailKind::AddressRefused, "{url}: {failure}");
    }
    renderer.close().await;
    let received: Vec<String> = canaries.iter().flat_map(Canary::received).collect();
    sample.record("page of the browser", count, received.len());
    assert_eq!(received, [""; 0]);
}
