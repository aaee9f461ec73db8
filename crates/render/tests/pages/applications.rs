//! What scripts do, and what must come of it.

use testsite::Server;
use testsite::spa::{APPLICATIONS, Applications, Ends};

use crate::stage::{Stage, markup};

#[tokio::test(flavor = "multi_thread")]
async fn every_application_ends_as_it_must() {
    let site = Server::start(Applications);
    let stage = Stage::new(|settings| {
        settings.nav_timeout = std::time::Duration::from_secs(4);
    });
    let mut wrong = Vec::new();
    for application in APPLICATIONS {
        let fetched = stage.document(&site.url(application.path)).await;
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(failure) => {
                wrong.push(format!("{}: {failure}", application.name));
                continue;
            }
        };
        match application.ends {
            Ends::Moves(to) => {
                let expected = Some(site.url(to));
                if !fetched.moved_by_script || fetched.location != expected {
                    wrong.push(format!("{}: {fetched:?}", application.name));
                }
                assert_eq!(
                    site.count(to),
                    0,
                    "{}: nothing is sent for a hop",
                    application.name
                );
            }
            Ends::Document { texts, links } => {
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
    stage.renderer.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
