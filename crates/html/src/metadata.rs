//! What a page declares about itself: title, description, language, authors, dates and more.
//!
//! Most of it is declared several times, not always consistently. One pass over the tree collects the
//! declarations ([`declarations`]), the JSON-LD blocks are read into the same form ([`json_ld`]), and then
//! each field takes the first source that has a value:
//!
//! | field | sources, best first |
//! |---|---|
//! | title | `og:title`, JSON-LD `headline` or `name`, `title`, `twitter:title`, first `h1` |
//! | description | meta `description`, `og:description`, `twitter:description`, JSON-LD, Dublin Core |
//! | language | `html lang`, `content-language`, `og:locale`, JSON-LD `inLanguage`, Dublin Core |
//! | canonical | link `canonical`, `og:url` |
//! | author | JSON-LD `author` or `creator`, meta `author`, scholarly and publishing metas, `article:author` that is a name, `rel=author` and `itemprop=author` |
//! | published | JSON-LD `datePublished`, `article:published_time`, date metas, elements (`time pubdate`, `itemprop`, microformat classes), JSON-LD `dateCreated` and similar |
//! | modified | JSON-LD `dateModified`, `article:modified_time`, `og:updated_time`, date metas, elements |
//! | site name | `og:site_name`, JSON-LD `WebSite`, JSON-LD `publisher`, `application-name` |
//! | keywords | meta `keywords`, `news_keywords`, `article:tag`, JSON-LD |
//! | favicon | link `icon`, link `apple-touch-icon` |
//! | image | `og:image`, `twitter:image`, JSON-LD `image`, link `image_src`, `itemprop=image` |
//!
//! Sources are never mixed: authors come from one source, not from all; a source that names only the site
//! itself ranks below one that names someone else. Of the dates, the first that can be parsed is used, and
//! only if none can, the first as written. The site's name is removed from a title if it is certain to be the
//! site's name ([`title`](mod@title)).
//!
//! Invariants: time is linear in the page; nothing recurses except the JSON parser, within its own limit;
//! every value is one line of at most 10 KB and every list has at most 256 entries. URLs are resolved by the
//! caller's `resolve`, and what it rejects is left out.

mod author;
mod date;
mod declarations;
mod json_ld;
mod language;
mod subject;
mod text;
mod title;

use std::collections::{BTreeMap, HashSet};

use crate::tree::Tree;

use declarations::Declarations;
use json_ld::JsonLdFacts;
use text::{distinct, line};

/// What a page declares about itself; fields are empty where it declares nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Title of the page, without the site's name where that is certain.
    pub title: Option<String>,
    /// A sentence or two about the page.
    pub description: Option<String>,
    /// The declared language as a tag: `en`, `pt-BR`, `zh-Hans`.
    pub language: Option<String>,
    /// Canonical URL of the page.
    pub canonical: Option<String>,
    /// Names of the authors.
    pub author: Vec<String>,
    /// Publication time: an RFC 3339 date-time, or only the date if no time of day is given; a time without a
    /// zone is taken as UTC. As written if it cannot be parsed.
    pub published: Option<String>,
    /// Time of the last change, in the format of [`Metadata::published`].
    pub modified: Option<String>,
    /// Name of the site.
    pub site_name: Option<String>,
    /// Keywords of the page.
    pub keywords: Vec<String>,
    /// URL of the page's icon, if it names one.
    pub favicon: Option<String>,
    /// Directives of its robots metas, in lower case: `noindex`, `max-snippet:-1`.
    pub robots: Vec<String>,
    /// `og:` and `article:` properties by full name, each with its first value.
    pub open_graph: BTreeMap<String, String>,
    /// `twitter:` properties by full name, each with its first value.
    pub twitter: BTreeMap<String, String>,
    /// Types of the things its JSON-LD describes, without those of nested parts.
    pub json_ld_types: Vec<String>,
    /// Versions of the page in other languages: language tag as written, and URL.
    pub alternates: Vec<(String, String)>,
    /// URLs of its feeds.
    pub feeds: Vec<String>,
    /// URL of the image that represents the page.
    pub image: Option<String>,
    /// URL of the next page of a series.
    pub next: Option<String>,
    /// URL of the previous page of a series.
    pub previous: Option<String>,
}

/// Reads the metadata of a page. `resolve` makes a reference absolute and returns `None` for anything that is
/// not a usable URL.
pub fn metadata(tree: &Tree, resolve: &dyn Fn(&str) -> Option<String>) -> Metadata {
    let declared = Declarations::collect(tree);
    let url = |reference: &str| text::reference(reference).and_then(resolve);
    let canonical = declared
        .linked("canonical")
        .chain(declared.metas(&["og:url"]))
        .find_map(url);
    let facts = json_ld::read(&declared.json_ld, canonical.as_deref(), &url);
    Metadata {
        title: title(&declared, &facts, canonical.as_deref()),
        description: description(&declared, &facts),
        language: language(&declared, &facts),
        author: author(&declared, &facts),
        published: published(&declared, &facts),
        modified: modified(&declared, &facts),
        site_name: site_names(&declared, &facts).into_iter().next(),
        keywords: keywords(&declared, &facts),
        favicon: declared
            .linked("icon")
            .chain(declared.linked("apple-touch-icon"))
            .chain(declared.linked("apple-touch-icon-precomposed"))
            .find_map(url),
        robots: robots(&declared),
        open_graph: properties(&declared, &["og:", "article:"], &url),
        twitter: properties(&declared, &["twitter:"], &url),
        alternates: alternates(&declared, &url),
        feeds: distinct(declared.feeds().filter_map(url)),
        image: image(&declared, &facts, &url),
        next: declared.linked("next").find_map(url),
        previous: declared
            .linked("prev")
            .chain(declared.linked("previous"))
            .find_map(url),
        canonical,
        json_ld_types: facts.types,
    }
}

fn title(
    declared: &Declarations<'_>,
    facts: &JsonLdFacts,
    canonical: Option<&str>,
) -> Option<String> {
    let candidates = [
        declared.first_meta(&["og:title"]),
        facts.title.clone(),
        declared.title.clone(),
        declared.first_meta(&["twitter:title"]),
        declared.heading.clone(),
    ];
    let mut names = site_names(declared, facts);
    names.extend(declared.first_meta(&["apple-mobile-web-app-title"]));
    let home = canonical.is_some_and(title::is_home);
    let own = declared
        .heading
        .as_deref()
        .filter(|_| declared.heading_is_own);
    title::choose(
        candidates.into_iter().flatten().collect(),
        &names,
        own,
        home,
    )
}

fn description(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Option<String> {
    declared
        .first_meta(&["description", "og:description", "twitter:description"])
        .or_else(|| facts.description.clone())
        .or_else(|| declared.first_meta(&["dc.description", "dcterms.description"]))
}

fn language(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Option<String> {
    declared
        .language
        .into_iter()
        .chain(declared.metas(&["content-language", "og:locale"]))
        .chain(facts.languages.iter().map(String::as_str))
        .chain(declared.metas(&["dc.language", "dcterms.language", "language"]))
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

/// The first source that names anyone, preferring one that names someone other than the site itself.
fn author(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Vec<String> {
    let mut sources = vec![author::names(facts.authors.iter().map(String::as_str))];
    sources.extend(
        AUTHOR_METAS
            .iter()
            .map(|keys| author::names(declared.metas(keys))),
    );
    sources.push(author::bylines(declared.bylines.iter().map(String::as_str)));
    sources.retain(|names| !names.is_empty());
    let sites: HashSet<String> = site_names(declared, facts)
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

fn published(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Option<String> {
    let metas = declared.metas(PUBLISHED_METAS);
    let elements = declared.published.iter().map(String::as_str);
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

fn modified(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Option<String> {
    let metas = declared.metas(MODIFIED_METAS);
    let elements = declared.modified.iter().map(String::as_str);
    date::first(
        (facts.modified.iter().map(String::as_str))
            .chain(metas)
            .chain(elements),
    )
}

/// All names of the site, best first.
fn site_names(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Vec<String> {
    let open_graph = declared.first_meta(&["og:site_name"]);
    let application = declared.first_meta(&["application-name"]);
    (open_graph.into_iter())
        .chain(facts.site_names.iter().cloned())
        .chain(application)
        .collect()
}

fn keywords(declared: &Declarations<'_>, facts: &JsonLdFacts) -> Vec<String> {
    let words = |keys: &[&str]| split_keywords(declared.metas(keys));
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

fn robots(declared: &Declarations<'_>) -> Vec<String> {
    distinct(
        declared
            .metas(&["robots"])
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
    declared: &Declarations<'_>,
    prefixes: &[&str],
    url: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    for (name, values) in declared.all_metas() {
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
    while properties.len() > text::MAX_VALUES {
        properties.pop_last();
    }
    properties
}

fn alternates(
    declared: &Declarations<'_>,
    url: &dyn Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    distinct(
        declared
            .alternates()
            .filter_map(|(language, href)| Some((line(language)?, url(href)?))),
    )
}

fn image(
    declared: &Declarations<'_>,
    facts: &JsonLdFacts,
    url: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    #[rustfmt::skip]
    const METAS: &[&str] = &[
        "og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src",
    ];
    declared
        .metas(METAS)
        .chain(facts.images.iter().map(String::as_str))
        .chain(declared.linked("image_src"))
        .chain(declared.images.iter().copied())
        .find_map(url)
}
