//! Sites whose every page is wanted.

mod archives;
mod communities;
mod documents;
mod events;
mod lists;
mod mixed;
mod shops;
mod tables;

use super::{SiteKind, kind};

/// All kinds.
pub const HONEST_KINDS: [SiteKind; 35] = [
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
];
