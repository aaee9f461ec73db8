//! Pages that need a browser: commands, service and shutdown, with a real browser.

mod command_line;
mod database;
mod endings;
mod isolation;
mod jobs;
mod own_network;
mod render_role;
mod test_folder;
mod without;
