//! Links with queries that bring nothing: share, print, reply, counters.

use super::super::builder::{link, parameter, trap_page};
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part;

/// Every page has links to share it, to answer it and to log in, each with its own address.
pub(super) fn share_links(seed: u64) -> UrlSpace {
    on_every_page(seed, |target| {
        let at = target.replace(['/', '?', '&', '='], "%2F");
        let share = link(&format!("/share?url={at}"), "Share");
        let reply = link(&format!("/reply?to={at}&quote=1"), "Reply");
        let login = link(&format!("/login?return={at}"), "Log in");
        share + &reply + &login
    })
}

/// The same; the pages that are linked have such links as well, to themselves.
pub(super) fn return_addresses(seed: u64) -> UrlSpace {
    on_every_page(seed, |target| {
        let at = target.replace(['/', '?', '&', '='], "%2F");
        let at = at.get(..300).unwrap_or(&at);
        link(&format!("/account?next={at}"), "Account")
            + &link(&format!("/mail?about={at}"), "Send by mail")
    })
}

fn on_every_page(seed: u64, links_of: fn(&str) -> String) -> UrlSpace {
    let builder = honest_part(seed, "/share");
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if let Some(html) = honest.get(requested) {
            let html = html.replace("</main>", &format!("{}</main>", links_of(requested)));
            let shows = Some(requested.to_owned());
            return Some(SpacePage { html, shows });
        }
        let name = requested.split('?').next()?.trim_start_matches('/');
        let is_form = ["share", "reply", "login", "account", "mail"].contains(&name);
        let form = "<p>Please fill in your name, your address and a short message, and choose a password.</p>";
        let content = match name {
            "account" | "mail" => format!("{form}{}", links_of(requested)),
            _ => form.to_owned(),
        };
        is_form.then(|| trap_page(layout.page(name, &content)))?
    })
}

/// A number that is counted up, on a page that does not change.
pub(super) fn counter(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/poll?n=1");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let number: u64 = parameter(requested, "n")
            .filter(|_| requested.starts_with("/poll?"))?
            .parse()
            .ok()?;
        let content = format!(
            "<p>Thank you for taking part in our poll. The results will be shown here.</p>{}",
            link(&format!("/poll?n={}", number + 1), "Again")
        );
        trap_page(layout.page("Poll", &content))
    })
}

/// Each link adds a pair to the query.
pub(super) fn growing_query(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/tour?step=1");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let query = requested.strip_prefix("/tour?")?;
        let steps = query.split('&').count();
        let mut content = String::from("<p>Take the tour through our house, room by room.</p>");
        for step in [steps + 1, steps + 2] {
            content.push_str(&link(&format!("/tour?{query}&step={step}"), "Next room"));
        }
        trap_page(layout.page("Tour", &content))
    })
}
