//! The labeled pages: `ground-truth.ndjson.gz` and `html/NNNN.html.gz` in one folder.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, Read, Result};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

/// One labeled page.
#[derive(Debug)]
pub(crate) struct LabeledPage {
    pub id: String,
    pub url: String,
    pub kind: String,
    pub truth: String,
    pub html: String,
}

/// Reads every page in a folder.
pub(crate) fn read(folder: &Path) -> Result<Vec<LabeledPage>> {
    let truths = GzDecoder::new(open(&folder.join("ground-truth.ndjson.gz"))?);
    let mut pages = Vec::new();
    for line in BufReader::new(truths).lines() {
        let value: Value = serde_json::from_str(&line?).map_err(Error::other)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Some(id) = value["file_id"].as_str() else {
            continue; // a line without a page
        };
        let mut bytes = Vec::new();
        let path = folder.join("html").join(format!("{id}.html.gz"));
        GzDecoder::new(open(&path)?).read_to_end(&mut bytes)?;
        pages.push(LabeledPage {
            id: id.to_owned(),
            url: text(&value["url"]),
            kind: text(&value["_internal"]["page_type"]["primary"]),
            truth: text(&value["ground_truth"]["main_content"]),
            html: String::from_utf8_lossy(&bytes).into_owned(),
        });
    }
    if pages.is_empty() {
        let message = format!("{} has no labeled pages; {ADVICE}", folder.display());
        return Err(Error::other(message));
    }
    Ok(pages)
}

const ADVICE: &str = "pass the folder of WCXB's development split, with ground-truth.ndjson.gz and html/ in it (see eval/README.md)";

fn open(path: &Path) -> Result<File> {
    File::open(path)
        .map_err(|error| Error::other(format!("cannot read {}: {error}; {ADVICE}", path.display())))
}

/// The site of a page, by which pages are grouped into folds: the last two labels of its host, or three if the
/// second-last is a common second-level label of a country domain.
pub(crate) fn site(url: &str) -> String {
    let host = url.split("://").nth(1).unwrap_or(url);
    let host = host.split(['/', '?', ':']).next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let second = labels.len().checked_sub(2).map_or("", |at| labels[at]);
    let short = matches!(
        second,
        "co" | "com" | "org" | "net" | "gov" | "ac" | "edu" | "gob" | "or" | "ne"
    );
    let take = if short && labels.len() > 2 { 3 } else { 2 };
    labels[labels.len().saturating_sub(take)..]
        .join(".")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{read, site};

    #[test]
    fn pages_of_one_site_have_one_name() {
        for (url, expected) in [
            ("https://www.example.com/a?b=c", "example.com"),
            ("http://EXAMPLE.com:8080/", "example.com"),
            ("https://shop.example.co.uk/x", "example.co.uk"),
            ("", ""),
        ] {
            assert_eq!(site(url), expected, "{url}");
        }
    }

    #[test]
    fn a_wrong_folder_is_reported_with_advice() {
        let error =
            read(std::path::Path::new("no/such/folder")).expect_err("the folder does not exist");
        let error = error.to_string();
        assert!(
            error.contains("no/such/folder/ground-truth.ndjson.gz"),
            "{error}"
        );
        assert!(error.contains("eval/README.md"), "{error}");
    }
}
