//! The wild pages, served.

use std::time::Duration;

use bytes::Bytes;

use super::{PAGES, TEXT};
use crate::{Answer, Request, Site, Step};

/// Serves all of [`PAGES`], and what they load.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wild;

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n";

/// 50,000 of these are 50 MB.
const PARAGRAPH_BYTES: usize = 1_000;

impl Site for Wild {
    fn answer(&self, request: &Request) -> Answer {
        let path = request.path();
        match path {
            "/" => {
                let paths = PAGES.iter().map(super::WildPage::path);
                return Answer::html(crate::pages::list_of_links(paths));
            }
            "/leaf" => return Answer::html("<p>leaf"),
            "/hang" | "/silent" => return Answer::script(vec![Step::Hang]),
            "/file.bin" => {
                return Answer::new(200, "application/octet-stream", vec![7_u8; 100_000])
                    .header("Content-Disposition", "attachment");
            }
            "/big" => return stream(Step::SendTimes(paragraph(), 50_000)),
            "/endless" => return stream(Step::SendTimes(paragraph(), u64::MAX)),
            "/drip" => {
                let letter = Bytes::from_static(b"a");
                return stream(Step::SendForever(letter, Duration::from_millis(20)));
            }
            _ => {}
        }
        let name = path.strip_prefix('/');
        match PAGES.iter().find(|page| name == Some(page.name)) {
            Some(page) => Answer::html(format!(
                "<!doctype html><html><head><title>{}</title></head><body><p>{TEXT}</p>\n{}\n</body></html>\n",
                page.name, page.markup
            )),
            None => Answer::status(404),
        }
    }
}

/// A document whose beginning is calm.
fn stream(rest: Step) -> Answer {
    let calm = format!("<!doctype html><html><body><p>{TEXT}</p>\n");
    Answer::script(vec![
        Step::Send(Bytes::from_static(HEAD)),
        Step::send(calm),
        rest,
        Step::Close,
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
