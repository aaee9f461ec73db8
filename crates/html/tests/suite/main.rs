//! The room's promises, tested from outside: rules as tables, a real parser as oracle, charsets
//! against the public test data, and time that grows with the page and no faster.

mod agreement;
mod charsets;
mod html5lib;
mod linear;
mod oracle;
mod references;
mod rules;
mod soup;
mod svg_rules;
