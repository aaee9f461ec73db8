//! Sites with a trap: an endless set of URLs, beside one to two thousand pages that are wanted.

mod areas;
mod calendars;
mod filters;
mod honest_part;
mod lists;
mod mazes;
mod mixed;
mod paths;
mod query_links;
mod redirects;
mod sessions;
mod software;
mod streams;

use super::{SiteKind, kind};

/// All kinds.
pub const ENDLESS_KINDS: [SiteKind; 60] = [
    kind("calendar_by_path", calendars::calendar_by_path),
    kind("calendar_views", calendars::calendar_views),
    kind("relative_links", paths::relative_links),
    kind("session_in_path", sessions::session_in_path),
    kind("session_of_unknown_name", sessions::session_of_unknown_name),
    kind("sorting_and_filters", lists::sorting_and_filters),
    kind("repeated_last_page", lists::repeated_last_page),
    kind("soft_404", paths::soft_404),
    kind("token_maze", mazes::token_maze),
    kind("word_maze", mazes::word_maze),
    kind("share_links", query_links::share_links),
    kind("counter", query_links::counter),
    // Held out.
    kind("calendar_by_query", calendars::calendar_by_query),
    kind(
        "calendar_views_with_events",
        calendars::calendar_views_with_events,
    ),
    kind("calendar_with_numbers", calendars::calendar_with_numbers),
    kind("calendar_of_weeks", calendars::calendar_of_weeks),
    kind("calendar_with_archive", calendars::calendar_with_archive),
    kind("session_in_query", sessions::session_in_query),
    kind("click_path", sessions::click_path),
    kind("facets_in_any_order", lists::facets_in_any_order),
    kind("empty_pages", lists::empty_pages),
    kind("empty_pages_by_path", lists::empty_pages_by_path),
    kind("filters_in_path", lists::filters_in_path),
    kind("query_maze", mazes::query_maze),
    kind("nested_maze", mazes::nested_maze),
    kind("growing_query", query_links::growing_query),
    kind("return_addresses", query_links::return_addresses),
    kind("soft_404_below", paths::soft_404_below),
    // Made afterwards.
    kind("months_by_query", mixed::months_by_query),
    kind("tag_combinations", mixed::tag_combinations),
    kind("nested_login", mixed::nested_login),
    kind("maze_with_way_back", mixed::maze_with_way_back),
    // Written without knowing the detection.
    kind("events_calendar", software::events_calendar),
    kind(
        "events_calendar_of_a_small_site",
        software::events_calendar_of_a_small_site,
    ),
    kind("cart_buttons", software::cart_buttons),
    kind(
        "cart_buttons_of_a_large_shop",
        software::cart_buttons_of_a_large_shop,
    ),
    kind("reply_links", software::reply_links),
    kind(
        "reply_links_of_a_small_site",
        software::reply_links_of_a_small_site,
    ),
    kind("session_before_path", software::session_before_path),
    kind("booking_dates", software::booking_dates),
    kind("numbered_facets", filters::numbered_facets),
    kind("views_of_a_list", filters::views_of_a_list),
    kind(
        "views_of_a_list_of_a_small_site",
        filters::views_of_a_list_of_a_small_site,
    ),
    kind("referrers", filters::referrers),
    kind("tag_folders", filters::tag_folders),
    kind("list_that_starts_again", streams::list_that_starts_again),
    kind("suggestions", streams::suggestions),
    kind("dates_with_new_text", streams::dates_with_new_text),
    kind("not_found_with_advice", streams::not_found_with_advice),
    kind("two_areas", streams::two_areas),
    kind("redirect_hops", streams::redirect_hops),
    kind("counted_visits", streams::counted_visits),
    // Written before areas that lead to each other and redirects were judged.
    kind("three_areas", areas::three_areas),
    kind("five_areas", areas::five_areas),
    kind("two_areas_of_templates", areas::two_areas_of_templates),
    kind("two_areas_with_way_back", areas::two_areas_with_way_back),
    kind("short_link_maze", redirects::short_link_maze),
    kind("sign_in_redirects", redirects::sign_in_redirects),
    kind("votes", redirects::votes),
    kind(
        "redirect_hops_with_way_back",
        redirects::redirect_hops_with_way_back,
    ),
];
