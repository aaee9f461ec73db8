//! How runs start, fail and end: exit codes, stderr, signals, pipes, disks.

mod bad_input;
mod certificates;
mod disk;
mod failures;
mod messages;
mod pipes;
mod progress;
mod retries;
mod robots;
mod scrape;
mod seed_problems;
mod signals;
mod summary;
