//! Serves the runaway pages.

use std::time::Duration;

use bytes::Bytes;

use super::{PAGES, TEXT};
use crate::{Request, Site, SiteResponse, SocketStep};

/// Serves all [`PAGES`] and their resources.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunawaySite;

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n";

/// 50,000 of these are 50 MB.
const PARAGRAPH_BYTES: usize = 1_000;

impl Site for RunawaySite {
    fn respond(&self, request: &Request) -> SiteResponse {
        let path = request.path();
        match path {
            "/" => {
                let paths = PAGES.iter().map(super::RunawayPage::path);
                return SiteResponse::html(crate::pages::list_of_links(paths));
            }
            "/leaf" => return SiteResponse::html("<p>leaf"),
            "/hang" | "/silent" => return SiteResponse::script(vec![SocketStep::Hang]),
            "/file.bin" => {
                return SiteResponse::new(200, "application/octet-stream", vec![7_u8; 100_000])
                    .header("Content-Disposition", "attachment");
            }
            "/big" => return stream(SocketStep::SendTimes(paragraph(), 50_000)),
            "/endless" => return stream(SocketStep::SendTimes(paragraph(), u64::MAX)),
            "/drip" => {
                let letter = Bytes::from_static(b"a");
                return stream(SocketStep::SendForever(letter, Duration::from_millis(20)));
            }
            _ => {}
        }
        let name = path.strip_prefix('/');
        match PAGES.iter().find(|page| name == Some(page.name)) {
            Some(page) => SiteResponse::html(format!(
                "<!doctype html><html><head><title>{}</title></head><body><p>{TEXT}</p>\n{}\n</body></html>\n",
                page.name, page.markup
            )),
            None => SiteResponse::status(404),
        }
    }
}

/// A document that starts with [`TEXT`].
fn stream(rest: SocketStep) -> SiteResponse {
    let start = format!("<!doctype html><html><body><p>{TEXT}</p>\n");
    SiteResponse::script(vec![
        SocketStep::Send(Bytes::from_static(HEAD)),
        SocketStep::send(start),
        rest,
        SocketStep::Close,
    ])
}

fn paragraph() -> Bytes {
    let mut text = String::from("<p>");
    while text.len() < PARAGRAPH_BYTES - 5 {
        text.push('w');
    }
    text.push_str("</p>\n");
    Bytes::from(text)
}
