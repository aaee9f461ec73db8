//! Traps that are reached by redirects.

use super::super::builder::{hash, link, paragraph, parameter, trap_page};
use super::super::prose::{token, word};
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part_of;
use crate::pseudo_random::mix;

/// A maze of random text whose every link is a short one that redirects to the page.
pub(super) fn short_link_maze(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/s/8f3ac91be0", 2_000);
    let layout = builder.layout();
    builder.redirect(move |requested| {
        let short = requested.strip_prefix("/s/")?;
        let hash = hash(seed, short);
        Some(format!("/read/{}-{}", word(hash), token(seed, hash)))
    });
    builder.with_trap(move |requested, _| {
        let hash = hash(seed, requested.strip_prefix("/read/")?);
        let mut content = paragraph(hash, 60);
        for at in 0..4 {
            content.push_str(&link(
                &format!("/s/{}", token(seed, mix(hash, at))),
                word(mix(hash, at + 9)),
            ));
        }
        trap_page(layout.page(word(hash), &content))
    })
}

/// Profiles that redirect to a form to sign in, which suggests other profiles.
pub(super) fn sign_in_redirects(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/profile/1", 2_000);
    let layout = builder.layout();
    builder.redirect(|requested| {
        let number: u64 = requested.strip_prefix("/profile/")?.parse().ok()?;
        Some(format!("/signin?next=%2Fprofile%2F{number}"))
    });
    builder.with_trap(move |requested, _| {
        let next = parameter(requested, "next").filter(|_| requested.starts_with("/signin?"))?;
        let hash = hash(seed, next);
        let mut content = "<p>Please sign in with your name and your password to see this profile. These people may be of interest to you.</p>".to_owned();
        for at in 0..3 {
            let number = mix(hash, at) % 1_000_000_000;
            content.push_str(&link(&format!("/profile/{number}"), word(number)));
        }
        trap_page(layout.page("Sign in", &content))
    })
}

/// Every article has a link to vote for it, which redirects back to the article with a ticket: `/vote/up/harbor-ledger` to
/// `/articles/harbor-ledger?ticket=…`, with another link to vote.
pub(super) fn votes(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/", 2_000);
    builder.redirect(move |requested| {
        let (number, name) = requested.strip_prefix("/vote/")?.split_once('/')?;
        let ticket = token(seed, hash(seed, number));
        Some(format!("/articles/{name}?ticket={ticket}"))
    });
    builder.with_trap(move |requested, honest| {
        let shown = requested.split("?ticket=").next()?;
        let name = shown.strip_prefix("/articles/")?;
        let number = hash(seed, requested) % 1_000_000;
        let vote = link(&format!("/vote/{number}/{name}"), "Vote");
        Some(SpacePage {
            html: honest
                .get(shown)?
                .replace("</main>", &format!("{vote}</main>")),
            shows: Some(shown.to_owned()),
        })
    })
}

/// Offers that are reached by a counter, with links to the offer before and to the first one.
pub(super) fn redirect_hops_with_way_back(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/out/1", 2_000);
    let layout = builder.layout();
    builder.redirect(|requested| {
        let number: u64 = requested.strip_prefix("/out/")?.parse().ok()?;
        Some(format!("/deal/{number}"))
    });
    builder.with_trap(move |requested, _| {
        let number: u64 = requested.strip_prefix("/deal/")?.parse().ok()?;
        let mut content = paragraph(mix(seed, number), 8)
            + "<p>This deal is over. Be faster with one of the next ones.</p>"
            + &link(&format!("/deal/{}", number / 3), "Deal before")
            + &link("/deal/1", "First deal");
        for next in 0..3 {
            let next = (number * 3 + next) % 1_000_000_007;
            content.push_str(&link(&format!("/out/{next}"), "Next deal"));
        }
        trap_page(layout.page("Deal", &content))
    })
}
