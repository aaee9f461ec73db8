//! Pages that need a browser, through the built binary: its commands, its service, its endings. The browser is a real one.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

mod command_line;
mod database;
mod endings;
mod ground;
mod isolation;
mod jobs;
mod own_network;
mod service;
mod without;
