//! Single-page applications that are empty until their scripts have run. Each has a shell (an empty root element, a script,
//! a style sheet with a font) and its own code, without a framework.
//!
//! - [`ClientRoutedSite`]: any number of pages behind one shell, linked only by its script;
//! - [`Applications`]: one page per script behavior, with its expected outcome;
//! - [`runaway`]: pages that never finish, never stop growing or cannot be left.

mod applications;
mod assets;
mod client_routed_site;
pub mod runaway;

pub use applications::{APPLICATIONS, Application, ApplicationOutcome, Applications};
pub use client_routed_site::ClientRoutedSite;
