//! Rendering in another process, which is asked over a Unix socket.
//!
//! [`RenderServer`] answers with a [`Renderer`](crate::Renderer); [`RemoteRenderer`] asks. Each page has a connection of its own:
//! closing it cancels the page.

mod protocol;
mod remote_renderer;
mod server;
#[cfg(test)]
mod tests;

pub use remote_renderer::RemoteRenderer;
pub use server::RenderServer;
