//! Which addresses may be written.
//!
//! A writer's output is shown by others, so no address leaves that could run: whatever the caller's
//! resolver answers, only the schemes below pass.

/// Longer addresses are not links anybody follows; they are data. Leaving them out also bounds how
/// much a link around many blocks can repeat.
const LONGEST: usize = 4096;

/// Where a link leads, or nothing if it should not be a link.
pub(crate) fn link_target(resolve: &dyn Fn(&str) -> Option<String>, href: &str) -> Option<String> {
    target(
        resolve,
        href,
        &["http", "https", "mailto", "tel", "ftp", "sms"],
    )
}

/// Where an image or a film is, or nothing if it cannot be named.
pub(crate) fn media_target(resolve: &dyn Fn(&str) -> Option<String>, src: &str) -> Option<String> {
    target(resolve, src, &["http", "https"])
}

fn target(
    resolve: &dyn Fn(&str) -> Option<String>,
    written: &str,
    schemes: &[&str],
) -> Option<String> {
    let written = written.trim_matches(|character: char| character <= ' ');
    if written.len() > LONGEST {
        return None;
    }
    let target = resolve(written)?;
    let usable = !target.is_empty()
        && target.len() <= LONGEST
        && !target.bytes().any(|byte| byte.is_ascii_control())
        && scheme(&target).is_none_or(|scheme| {
            schemes
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(scheme))
        });
    usable.then_some(target)
}

/// What stands before the first colon, unless the address is a path.
fn scheme(target: &str) -> Option<&str> {
    let end = target.find([':', '/', '?', '#'])?;
    target[end..].starts_with(':').then(|| target[..end].trim())
}
