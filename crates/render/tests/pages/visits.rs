//! What one visit leaves behind is not there for another, nor for its own next page.

use testsite::Server;
use testsite::spa::Applications;

use crate::stage::{Stage, markup};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_meets_a_first_time_reader() {
    let site = Server::start(Applications);
    let stage = Stage::new(|settings| settings.tabs = 1);
    // Twice in the same visit, which keeps its tab, and once in another.
    for visit in [1, 1, 1, 2] {
        let fetched = stage.visit(&site.url("/visits"), visit).await.unwrap();
        let markup = markup(&fetched);
        for text in ["cookie: 1", "storage: 1", "database: 1"] {
            assert!(markup.contains(text), "{visit}: {text} is not in {markup}");
        }
    }
    let shared = site.count("/assets/app.css");
    assert!(shared < 4, "the cache of a visit is used: {shared}");
    stage.renderer.close().await;
}
