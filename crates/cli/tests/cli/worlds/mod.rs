//! Crawls of large and difficult sites: every hostile behavior at once, throttling hosts, decompression bombs, a real handbook
//! compared with wget, a site of 200,000 pages, realistic pages, and random sites. Results are compared with the requests that
//! the server received where possible.

mod big;
mod bombs;
mod crawl;
mod handbook;
mod hostile;
mod machine_lock;
mod page;
mod randomized;
mod realistic;
mod throttled;
