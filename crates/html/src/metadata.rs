//! What a page says about itself: title, description, language, authors, dates and the rest.
//!
//! A page says most of it more than once, and not always the same. One pass over the tree gathers
//! what was said ([`page`]), the JSON-LD blocks are read into the same shape ([`json_ld`]), and then
//! each field takes the first source that has an answer:
//!
//! | field | sources, best first |
//! |---|---|
//! | title | `og:title`, JSON-LD `headline` or `name`, `title`, `twitter:title`, first `h1` |
//! | description | meta `description`, `og:description`, `twitter:description`, JSON-LD, Dublin Core |
//! | language | `html lang`, `content-language`, `og:locale`, JSON-LD `inLanguage`, Dublin Core |
//! | canonical | link `canonical`, `og:url` |
//! | author | JSON-LD `author` or `creator`, meta `author`, scholarly and publishing metas, `article:author` that is a name, `rel=author` and `itemprop=author` |
//! | published | JSON-LD `datePublished`, `article:published_time`, date metas, elements (`time pubdate`, `itemprop`, microformat classes), JSON-LD `dateCreated` and the like |
//! | modified | JSON-LD `dateModified`, `article:modified_time`, `og:updated_time`, date metas, elements |
//! | site name | `og:site_name`, JSON-LD `WebSite`, JSON-LD `publisher`, `application-name` |
//! | keywords | meta `keywords`, `news_keywords`, `article:tag`, JSON-LD |
//! | favicon | link `icon`, link `apple-touch-icon` |
//! | image | `og:image`, `twitter:image`, JSON-LD `image`, link `image_src`, `itemprop=image` |
//!
//! Sources are never mixed: authors come from one of them, not from all; one that names only the
//! site itself stands behind one that names somebody else. Of the dates the first that can be read
//! counts, and only when none can the first as it is written. A title loses the site's name where it
//! is certain to be that ([`title`](mod@title)).
//!
//! Invariants: time is linear in the page, nothing recurses but the JSON reader within its own
//! limit, every value is one line of at most 10 KB and every list at most 256 long. Which URL a
//! reference means is not known here: the caller's `resolve` decides, and what it refuses is left
//! out.

mod author;
mod date;
mod json_ld;
mod language;
mod page;
mod subject;
mod text;
mod title;

use std::collections::{BTreeMap, HashSet};

use crate::tree::Tree;

use json_ld::Facts;
use page::Page;
use text::{distinct, line};

/// What a page says about itself. Empty where it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The page's title, without the site's name where that is certain.
    pub title: Option<String>,
    /// A sentence or two about the page.
    pub description: Option<String>,
    /// The declared language as a tag: `en`, `pt-BR`, `zh-Hans`.
    pub language: Option<String>,
    /// The URL the page wants to be known by.
    pub canonical: Option<String>,
    /// The authors' names.
    pub author: Vec<String>,
    /// When the page was published: an RFC 3339 date-time, or its full-date where no time of day
    /// is given; a time without a zone is taken as UTC. As written where it cannot be read.
    pub published: Option<String>,
    /// When the page was last changed, written like [`Metadata::published`].
    pub modified: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The page's keywords.
    pub keywords: Vec<String>,
    /// The URL of the page's icon, where it names one.
    pub favicon: Option<String>,
    /// The directives of its robots metas, in lower case: `noindex`, `max-snippet:-1`.
    pub robots: Vec<String>,
    /// The `og:` and `article:` properties by full name, each with its first value.
    pub open_graph: BTreeMap<String, String>,
    /// The `twitter:` properties by full name, each with its first value.
    pub twitter: BTreeMap<String, String>,
    /// The types of what its JSON-LD describes, without those of nested parts.
    pub json_ld_types: Vec<String>,
    /// The page in other languages: language tag as written, and URL.
    pub alternates: Vec<(String, String)>,
    /// The URLs of its feeds.
    pub feeds: Vec<String>,
    /// The URL of the picture that stands for the page.
    pub image: Option<String>,
    /// The URL of the next page of a series.
    pub next: Option<String>,
    /// The URL of the page before this one in a series.
    pub previous: Option<String>,
}

/// Reads what a page says about itself. References are made absolute by `resolve`, which answers
/// `None` to what is no URL worth keeping.
pub fn metadata(tree: &Tree, resolve: &dyn Fn(&str) -> Option<String>) -> Metadata {
    let page = Page::gather(tree);
    let url = |reference: &str| text::reference(reference).and_then(resolve);
    let canonical = page
        .linked("canonical")
        .chain(page.metas(&["og:url"]))
        .find_map(url);
    let facts = json_ld::read(&page.json_ld, canonical.as_deref(), &url);
    Metadata {
        title: title(&page, &facts, canonical.as_deref()),
        description: description(&page, &facts),
        language: language(&page, &facts),
        author: author(&page, &facts),
        published: published(&page, &facts),
        modified: modified(&page, &facts),
        site_name: site_names(&page, &facts).into_iter().next(),
        keywords: keywords(&page, &facts),
        favicon: page
            .linked("icon")
            .chain(page.linked("apple-touch-icon"))
            .chain(page.linked("apple-touch-icon-precomposed"))
            .find_map(url),
        robots: robots(&page),
        open_graph: properties(&page, &["og:", "article:"], &url),
        twitter: properties(&page, &["twitter:"], &url),
        alternates: alternates(&page, &url),
        feeds: distinct(page.feeds().filter_map(url)),
        image: image(&page, &facts, &url),
        next: page.linked("next").find_map(url),
        previous: page
            .linked("prev")
            .chain(page.linked("previous"))
            .find_map(url),
        canonical,
        json_ld_types: facts.types,
    }
}

fn title(page: &Page<'_>, facts: &Facts, canonical: Option<&str>) -> Option<String> {
    let candidates = [
        page.first_meta(&["og:title"]),
        facts.title.clone(),
        page.title.clone(),
        page.first_meta(&["twitter:title"]),
        page.heading.clone(),
    ];
    let mut names = site_names(page, facts);
    names.extend(page.first_meta(&["apple-mobile-web-app-title"]));
    let home = canonical.is_some_and(title::is_home);
    let own = page.heading.as_deref().filter(|_| page.heading_is_own);
    title::choose(
        candidates.into_iter().flatten().collect(),
        &names,
        own,
        home,
    )
}

fn description(page: &Page<'_>, facts: &Facts) -> Option<String> {
    page.first_meta(&["description", "og:description", "twitter:description"])
        .or_else(|| facts.description.clone())
        .or_else(|| page.first_meta(&["dc.description", "dcterms.description"]))
}

fn language(page: &Page<'_>, facts: &Facts) -> Option<String> {
    page.language
        .into_iter()
        .chain(page.metas(&["content-language", "og:locale"]))
        .chain(facts.languages.iter().map(String::as_str))
        .chain(page.metas(&["dc.language", "dcterms.language", "language"]))
        .find_map(language::tag)
}

const AUTHOR_METAS: &[&[&str]] = &[
    &["author"],
    &["citation_author"],
    &["dc.creator", "dcterms.creator"],
    &["parsely-author"],
    &["sailthru.author"],
    &["byl"],
    &["article:author"],
];

/// The first source that names somebody, and somebody else than the site itself if there is one.
fn author(page: &Page<'_>, facts: &Facts) -> Vec<String> {
    let mut sources = vec![author::names(facts.authors.iter().map(String::as_str))];
    sources.extend(
        AUTHOR_METAS
            .iter()
            .map(|keys| author::names(page.metas(keys))),
    );
    sources.push(author::bylines(page.bylines.iter().map(String::as_str)));
    sources.retain(|names| !names.is_empty());
    let sites: HashSet<String> = site_names(page, facts)
        .iter()
        .map(|name| name.to_lowercase())
        .collect();
    let is_site = |name: &String| sites.contains(&name.to_lowercase());
    let best = sources.iter().position(|names| !names.iter().all(is_site));
    sources
        .into_iter()
        .nth(best.unwrap_or(0))
        .unwrap_or_default()
}

#[rustfmt::skip]
const PUBLISHED_METAS: &[&str] = &[
    "article:published_time", "article:published", "og:published_time", "og:article:published_time",
    "datepublished", "pubdate", "publishdate", "publish-date", "publish_date", "published",
    "publication_date", "published-date", "published_time", "published_date", "date",
    "parsely-pub-date", "sailthru.date", "citation_publication_date", "citation_date",
    "citation_online_date", "dc.date.issued", "dcterms.issued", "dc.date.created",
    "dcterms.created", "dc.date", "dcterms.date", "article.published", "article.created",
    "og:pubdate", "rnews:datepublished", "dc:date",
];

fn published(page: &Page<'_>, facts: &Facts) -> Option<String> {
    let metas = page.metas(PUBLISHED_METAS);
    let elements = page.published.iter().map(String::as_str);
    date::first(
        (facts.published.iter().map(String::as_str))
            .chain(metas)
            .chain(elements)
            .chain(facts.created.iter().map(String::as_str)),
    )
}

#[rustfmt::skip]
const MODIFIED_METAS: &[&str] = &[
    "article:modified_time", "article:modified", "og:updated_time", "og:modified_time",
    "datemodified", "last-modified", "lastmod", "modified", "modified_time", "updated_time",
    "dcterms.modified", "dc.date.modified", "article.updated", "revised", "last-updated",
];

fn modified(page: &Page<'_>, facts: &Facts) -> Option<String> {
    let metas = page.metas(MODIFIED_METAS);
    let elements = page.modified.iter().map(String::as_str);
    date::first(
        (facts.modified.iter().map(String::as_str))
            .chain(metas)
            .chain(elements),
    )
}

/// All the names the site gives itself, best first.
fn site_names(page: &Page<'_>, facts: &Facts) -> Vec<String> {
    let open_graph = page.first_meta(&["og:site_name"]);
    let application = page.first_meta(&["application-name"]);
    (open_graph.into_iter())
        .chain(facts.site_names.iter().cloned())
        .chain(application)
        .collect()
}

fn keywords(page: &Page<'_>, facts: &Facts) -> Vec<String> {
    let words = |keys: &[&str]| split_keywords(page.metas(keys));
    [&["keywords"], &["news_keywords"], &["article:tag"]]
        .iter()
        .map(|keys| words(*keys))
        .find(|words| !words.is_empty())
        .unwrap_or_else(|| split_keywords(facts.keywords.iter().map(String::as_str)))
}

fn split_keywords<'a>(lists: impl Iterator<Item = &'a str>) -> Vec<String> {
    distinct(
        lists
            .flat_map(|list| list.split([',', ';', '，', '、']))
            .filter_map(line),
    )
}

fn robots(page: &Page<'_>) -> Vec<String> {
    distinct(
        page.metas(&["robots"])
            .flat_map(|directives| directives.split(','))
            .filter_map(line)
            .map(|directive| {
                directive
                    .to_lowercase()
                    .replace(" :", ":")
                    .replace(": ", ":")
            }),
    )
}

/// Whether the value of a property is a URL.
fn is_reference(property: &str) -> bool {
    const MEDIA: &[&str] = &["og:image", "og:video", "og:audio", "twitter:image"];
    let (media, part) = MEDIA
        .iter()
        .find_map(|name| Some((true, property.strip_prefix(name)?)))
        .unwrap_or((false, ""));
    matches!(property, "og:url" | "twitter:url" | "twitter:player")
        || media && matches!(part, "" | ":url" | ":secure_url" | ":src")
}

fn properties(
    page: &Page<'_>,
    prefixes: &[&str],
    url: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    for (name, values) in page.all_metas() {
        if !prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let value = if is_reference(name) {
            values.iter().find_map(|value| url(value))
        } else {
            values.iter().find_map(|value| line(value))
        };
        if let Some(value) = value {
            properties.insert(name.to_owned(), value);
        }
    }
    while properties.len() > text::MOST_VALUES {
        properties.pop_last();
    }
    properties
}

fn alternates(page: &Page<'_>, url: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    distinct(
        page.alternates()
            .filter_map(|(language, href)| Some((line(language)?, url(href)?))),
    )
}

fn image(page: &Page<'_>, facts: &Facts, url: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    #[rustfmt::skip]
    const METAS: &[&str] = &[
        "og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src",
    ];
    page.metas(METAS)
        .chain(facts.images.iter().map(String::as_str))
        .chain(page.linked("image_src"))
        .chain(page.images.iter().copied())
        .find_map(url)
}
