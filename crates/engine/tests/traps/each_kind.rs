//! One test per kind of site.

use std::env;

/// Seeds of the sites; `cargo xtask traps` sets how many of each kind are tested.
pub(crate) fn seeds() -> std::ops::RangeInclusive<u64> {
    let count = env::var("TRAP_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok());
    1..=count.unwrap_or(2)
}

/// What is measured of a site, in percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    /// Wanted pages that must be fetched.
    pub(crate) kept: usize,
    /// Requests that may be spent in traps.
    pub(crate) in_traps: usize,
    /// Whether the crawl ends by itself; if not, it is stopped after three times as many requests as the site has wanted pages.
    pub(crate) ends: bool,
}

/// The wanted pages and the requests in traps that a kind reaches.
pub(crate) type Limit = (&'static str, usize, usize);

/// The kinds that miss the bar of 98 % of wanted pages and 3 % of requests, and what they reach: see decision 8.
const KNOWN_LIMITS: &[Limit] = &[
    ("events_calendar", 98, 4),
    ("events_calendar_of_a_small_site", 98, 26),
    ("numbered_facets", 98, 10),
    ("views_of_a_list_of_a_small_site", 98, 11),
    ("tag_folders", 98, 11),
    ("suggestions", 98, 13),
    ("not_found_with_advice", 98, 5),
    ("five_areas", 98, 4),
    ("two_areas_with_way_back", 98, 4),
    ("short_link_maze", 98, 7),
    ("sign_in_redirects", 98, 8),
    ("redirect_hops_with_way_back", 98, 10),
];

/// The same for kinds whose trap is not found: what they reach when they are stopped.
const ENDLESS: &[Limit] = &[("dates_with_new_text", 98, 67)];

/// What a kind of site must reach. `limits`: further kinds that miss the bar.
pub(crate) fn bar(kind: &testsite::url_spaces::SiteKind, limits: &[Limit]) -> Bar {
    let of = |list: &[Limit]| {
        let known = list.iter().find(|(name, ..)| *name == kind.name);
        known.map(|(_, kept, in_traps)| (*kept, *in_traps))
    };
    let endless = of(ENDLESS);
    let known = endless.or_else(|| of(limits)).or_else(|| of(KNOWN_LIMITS));
    let (kept, in_traps) = known.unwrap_or((98, 3));
    Bar {
        kept,
        in_traps,
        ends: endless.is_none(),
    }
}

/// The number of requests after which the crawl of a site without an end is stopped.
pub(crate) fn limit(space: &testsite::url_spaces::UrlSpace) -> usize {
    3 * space.honest().count()
}

/// Defines a test for each kind of site, which calls `$check` with the kind.
macro_rules! each_kind {
    ($check:path, $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                let mut kinds = testsite::url_spaces::HONEST_KINDS
                    .iter()
                    .chain(&testsite::url_spaces::ENDLESS_KINDS);
                $check(kinds.find(|kind| kind.name == name).unwrap());
            }
        )*

        #[test]
        fn every_kind_has_a_test() {
            let tested = [$(stringify!($name)),*];
            let kinds = testsite::url_spaces::HONEST_KINDS
                .iter()
                .chain(&testsite::url_spaces::ENDLESS_KINDS);
            let names: Vec<&str> = kinds.map(|kind| kind.name).collect();
            assert_eq!(names, tested);
        }
    };
}

/// Defines a test for every kind of site.
macro_rules! all_kinds {
    ($check:path) => {
        each_kind! {
            $check,
            days_by_path days_in_a_sitemap days_by_query months events_by_month shop forum wiki long_list
            numbered_items documentation gallery weather tokens shells days_by_index dated_slugs
            four_decades events_in_a_grid sparse_days prices item_ids list_by_path languages search
            dictionary directory timetables magazine_scans categories_by_query comments
            related_posts diary_with_gaps numbered_events members
            cart_shop forum_software wiki_software source_viewer library_catalog job_board photo_albums mailing_list short_news bulletins events_years_apart documentation_versions weblog
            authors_and_books questions_and_tags films_and_actors family_tree articles_behind_a_counter url_shortener sign_in_for_members translations_by_redirect related_posts_behind_a_counter
            calendar_by_path calendar_views relative_links session_in_path session_of_unknown_name
            sorting_and_filters repeated_last_page soft_404 token_maze word_maze share_links counter
            calendar_by_query calendar_views_with_events calendar_with_numbers calendar_of_weeks calendar_with_archive
            session_in_query click_path facets_in_any_order empty_pages empty_pages_by_path
            filters_in_path query_maze nested_maze growing_query return_addresses soft_404_below
            months_by_query tag_combinations nested_login maze_with_way_back
            events_calendar events_calendar_of_a_small_site cart_buttons cart_buttons_of_a_large_shop reply_links reply_links_of_a_small_site session_before_path booking_dates numbered_facets views_of_a_list views_of_a_list_of_a_small_site referrers tag_folders list_that_starts_again suggestions dates_with_new_text not_found_with_advice two_areas redirect_hops counted_visits
            three_areas five_areas two_areas_of_templates two_areas_with_way_back short_link_maze sign_in_redirects votes redirect_hops_with_way_back
        }
    };
}
