//! Sites that are nothing until their scripts ran: hand-written single-page applications, each a real shell (an
//! empty root, a script, a style sheet with a font) and its own code, without any framework.
//!
//! - [`Routed`]: any number of pages behind one shell, found by following links that only the script makes;
//! - [`Applications`]: one page per thing that scripts do, with what must come out of it;
//! - [`wild`]: pages that never end, never stop growing or never let go.

mod applications;
mod assets;
mod routed;
pub mod wild;

pub use applications::{APPLICATIONS, Application, Applications, Ends};
pub use routed::Routed;
