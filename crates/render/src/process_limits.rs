//! Limits on the memory and the CPU time of a browser's processes.

use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::browser::{Browser, of_group};
use crate::cdp::Cdp;
use crate::{RenderSettings, processes};
use crawler_model::lock;

/// Interval between checks of memory and CPU time.
const CHECK_INTERVAL: Duration = Duration::from_millis(300);
/// Number of checks in which the frame of a killed process may be reported.
const CHECKS_AFTER_KILL: u32 = 20;

/// Checks the memory and CPU time of the browser's processes until it exits.
pub(crate) async fn watch_processes(browser: Weak<Browser>, cdp: Cdp, settings: RenderSettings) {
    let mut recent_kills = 0;
    loop {
        tokio::select! {
            () = cdp.closed() => return,
            () = tokio::time::sleep(CHECK_INTERVAL) => (),
        }
        // Upgraded only briefly: a strong reference counts as a browser in use.
        let Some(group) = browser.upgrade().map(|browser| browser.group) else {
            return;
        };
        let all = of_group(group).await;
        let Some(browser) = browser.upgrade() else {
            return;
        };
        if exceeds_memory_limit(&all, &settings) {
            browser.over_memory.store(true, Ordering::Relaxed);
        }
        let over_limit = |process: &&processes::Process| {
            process.renders && process.memory > settings.page_memory
        };
        for process in all.iter().filter(over_limit) {
            tracing::debug!(
                memory = process.memory,
                "killing a page process that exceeds the memory limit"
            );
            browser.memory_kills.fetch_add(1, Ordering::Relaxed);
            browser.kill(process.id);
        }
        limit_cpu(&browser, &all, settings.budgets.cpu, &mut recent_kills);
    }
}

/// Updates the CPU times of all tabs, and kills the processes of pages that used too much. `recent_kills` counts down after a
/// process of an unknown page was killed, which that page notices a moment later.
fn limit_cpu(
    browser: &Browser,
    all: &[processes::Process],
    limit: Duration,
    recent_kills: &mut u32,
) {
    if limit.is_zero() {
        return;
    }
    let meters: Vec<_> = lock(&browser.meters)
        .iter()
        .filter_map(Weak::upgrade)
        .collect();
    for meter in &meters {
        meter.update_cpu(all);
        if *recent_kills > 0 {
            meter.blame_crashed_frame();
        }
    }
    *recent_kills = recent_kills.saturating_sub(1);
    // If the requests of this Chromium do not name their processes, nothing is known about any process.
    let is_known = |process: &processes::Process| meters.iter().any(|one| one.owns(process.id));
    let knows_some = all.iter().any(is_known);
    for process in all.iter().filter(|process| process.renders) {
        let owner = meters.iter().find(|meter| meter.owns(process.id));
        let is_over = match owner {
            Some(meter) => meter.is_over_cpu(),
            // A frame or a shared worker with a process of its own lives as long as its page.
            None => knows_some && process.cpu > limit,
        };
        if !is_over {
            continue;
        }
        tracing::debug!(cpu = ?process.cpu, "killing a page process that exceeds its CPU time");
        if owner.is_none() {
            browser.cpu_kills.fetch_add(1, Ordering::Relaxed);
            *recent_kills = CHECKS_AFTER_KILL;
        }
        browser.kill(process.id);
    }
}

/// Whether all processes together exceed the memory limit. Shared memory is counted for each process, so the limit grows
/// with the number of tabs.
fn exceeds_memory_limit(processes: &[processes::Process], settings: &RenderSettings) -> bool {
    let all: u64 = processes.iter().map(|process| process.memory).sum();
    all > settings.recycle_memory + settings.tabs as u64 * settings.page_memory / 2
}
