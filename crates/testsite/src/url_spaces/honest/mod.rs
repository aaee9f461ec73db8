//! Sites whose every page is wanted.

mod archives;
mod catalogs;
mod chronicles;
mod communities;
mod documents;
mod events;
mod graphs;
mod lists;
mod mixed;
mod redirects;
mod shops;
mod software;
mod tables;

use super::{SiteKind, kind};

/// All kinds.
pub const HONEST_KINDS: [SiteKind; 57] = [
    kind("days_by_path", archives::days_by_path),
    kind("days_in_a_sitemap", archives::days_in_a_sitemap),
    kind("days_by_query", archives::days_by_query),
    kind("months", archives::months),
    kind("events_by_month", events::events_by_month),
    kind("shop", shops::shop),
    kind("forum", communities::forum),
    kind("wiki", communities::wiki),
    kind("long_list", lists::long_list),
    kind("numbered_items", lists::numbered_items),
    kind("documentation", documents::documentation),
    kind("gallery", tables::gallery),
    kind("weather", tables::weather),
    kind("tokens", documents::tokens),
    kind("shells", tables::shells),
    // Held out.
    kind("days_by_index", archives::days_by_index),
    kind("dated_slugs", archives::dated_slugs),
    kind("four_decades", archives::four_decades),
    kind("events_in_a_grid", events::events_in_a_grid),
    kind("sparse_days", events::sparse_days),
    kind("prices", tables::prices),
    kind("item_ids", lists::item_ids),
    kind("list_by_path", lists::list_by_path),
    kind("languages", documents::languages),
    kind("search", shops::search),
    kind("dictionary", documents::dictionary),
    kind("directory", documents::directory),
    kind("timetables", tables::timetables),
    kind("magazine_scans", tables::magazine_scans),
    kind("categories_by_query", shops::categories_by_query),
    kind("comments", communities::comments),
    // Made afterwards.
    kind("related_posts", mixed::related_posts),
    kind("diary_with_gaps", mixed::diary_with_gaps),
    kind("numbered_events", mixed::numbered_events),
    kind("members", mixed::members),
    // Written without knowing the detection.
    kind("cart_shop", software::cart_shop),
    kind("forum_software", software::forum_software),
    kind("wiki_software", software::wiki_software),
    kind("source_viewer", software::source_viewer),
    kind("library_catalog", catalogs::library_catalog),
    kind("job_board", catalogs::job_board),
    kind("photo_albums", catalogs::photo_albums),
    kind("mailing_list", catalogs::mailing_list),
    kind("short_news", chronicles::short_news),
    kind("bulletins", chronicles::bulletins),
    kind("events_years_apart", chronicles::events_years_apart),
    kind("documentation_versions", chronicles::documentation_versions),
    kind("weblog", chronicles::weblog),
    // Written before areas that lead to each other and redirects were judged.
    kind("authors_and_books", graphs::authors_and_books),
    kind("questions_and_tags", graphs::questions_and_tags),
    kind("films_and_actors", graphs::films_and_actors),
    kind("family_tree", graphs::family_tree),
    kind(
        "articles_behind_a_counter",
        redirects::articles_behind_a_counter,
    ),
    kind("url_shortener", redirects::url_shortener),
    kind("sign_in_for_members", redirects::sign_in_for_members),
    kind(
        "translations_by_redirect",
        redirects::translations_by_redirect,
    ),
    kind(
        "related_posts_behind_a_counter",
        redirects::related_posts_behind_a_counter,
    ),
];
