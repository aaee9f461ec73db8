//! The site that stands for `https://example.org` in documents: the files in `site/`.

use std::path::Path;

use testsite::{Request, Server, SiteResponse};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/site");

/// Serves the folder; `https://example.org` in a file is replaced by the origin of the server.
pub(crate) fn start() -> Server {
    Server::start(respond)
}

fn respond(request: &Request) -> SiteResponse {
    let mut file = Path::new(FOLDER).join(request.path().trim_start_matches('/'));
    if file.is_dir() {
        file.push("index.html");
    }
    let Ok(text) = std::fs::read_to_string(&file) else {
        return SiteResponse::status(404);
    };
    let text = text.replace("https://example.org", &request.origin());
    if file.extension().is_some_and(|ending| ending == "html") {
        SiteResponse::html(text)
    } else {
        SiteResponse::text(text)
    }
}
