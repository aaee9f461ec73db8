//! Jobs and scrapes share no browser state.

use serde_json::json;
use testsite::Server;
use testsite::spa::Applications;

use crate::rendering::test_folder::{CONFIG, TestFolder};

const FIRST: [&str; 3] = [
    "visits by cookie: 1",
    "visits by storage: 1",
    "visits by database: 1",
];

#[test]
fn jobs_share_neither_cookies_nor_storage() {
    let folder = TestFolder::new();
    let site = Server::start(Applications);
    // One tab, so that anything left behind by the first would be found by the second.
    let one_tab = CONFIG.replace("pool_size: 2", "pool_size: 1");
    let service = folder.serve(&one_tab, |_| ());
    let url = site.url("/visits");
    for round in 1..=2 {
        let (status, page) = service.post_json("/v1/scrape", &json!({"url": url, "use_js": true}));
        assert_eq!(status, 200, "{page}");
        let job_path = service.run_job("/v1/batch/scrape", &json!({"urls": [url], "use_js": true}));
        let documents = service.get_json(&format!("{job_path}/documents"));
        for document in [&page, &documents["documents"][0]] {
            let content = document["content"].as_str().unwrap();
            for text in FIRST {
                assert!(content.contains(text), "round {round}: {content}");
            }
        }
    }
    assert_eq!(service.terminate(), Some(0));
    folder.wait_for_cleanup();
}
