//! Rules that all writers of a page share.
//!
//! The Markdown, HTML and text writers differ in what they put around the text. They must agree on which nodes
//! are visited, what counts as invisible, where an image is, which text a code block holds, and which
//! addresses may be written. Those rules are defined here.
//!
//! Nothing here writes output or recurses.

pub(crate) mod code;
pub(crate) mod display_attributes;
pub(crate) mod formula;
pub(crate) mod image;
pub(crate) mod selection;
pub(crate) mod target;
