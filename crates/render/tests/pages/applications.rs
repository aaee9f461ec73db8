//! Every test application is rendered as expected.

use testsite::Server;
use testsite::spa::{APPLICATIONS, ApplicationOutcome, Applications};

use crate::test_renderer::{TestRenderer, markup};

#[tokio::test(flavor = "multi_thread")]
async fn every_application_ends_as_expected() {
    let site = Server::start(Applications);
    let test = TestRenderer::new(|settings| {
        settings.nav_timeout = std::time::Duration::from_secs(4);
    });
    let mut wrong = Vec::new();
    for application in APPLICATIONS {
        let fetched = test.document(&site.url(application.path)).await;
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(failure) => {
                wrong.push(format!("{}: {failure}", application.name));
                continue;
            }
        };
        match application.outcome {
            ApplicationOutcome::Moves(to) => {
                let expected = Some(site.url(to));
                if !fetched.moved_by_script || fetched.location != expected {
                    wrong.push(format!("{}: {fetched:?}", application.name));
                }
                assert_eq!(
                    site.count(to),
                    0,
                    "{}: the redirect is not followed",
                    application.name
                );
            }
            ApplicationOutcome::Document { texts, links } => {
                if fetched.status != 200 || fetched.moved_by_script {
                    wrong.push(format!("{}: {fetched:?}", application.name));
                    continue;
                }
                let markup = markup(&fetched);
                let has = |text: &&&str| !markup.contains(**text);
                for text in texts.iter().filter(has) {
                    wrong.push(format!(
                        "{}: {text:?} is missing in {markup}",
                        application.name
                    ));
                }
                for link in links {
                    if !markup.contains(&format!("href=\"{link}\"")) {
                        wrong.push(format!(
                            "{}: no link to {link} in {markup}",
                            application.name
                        ));
                    }
                }
            }
        }
    }
    test.renderer.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
