//! What every writer of a page agrees on.
//!
//! The Markdown, HTML and text writers differ in what they put around the words. What they must not
//! differ in is which nodes they visit, what counts as invisible, where an image really is, which
//! text a code block holds, and which addresses may be written: that is kept here, once.
//!
//! Nothing here writes output or recurses.

pub(crate) mod code;
pub(crate) mod formula;
pub(crate) mod image;
pub(crate) mod looks;
pub(crate) mod selection;
pub(crate) mod target;
