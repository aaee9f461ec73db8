//! Which addresses may be written.
//!
//! Output is displayed by other programs, so no address that could execute is written: whatever the caller's
//! resolver returns, only the schemes below pass.

/// Longer addresses are data rather than links. Leaving them out also bounds how much a link around many
/// blocks can repeat.
const MAX_LENGTH: usize = 4096;

/// The target of a link, or `None` if it should not be a link.
pub(crate) fn link_target(resolve: &dyn Fn(&str) -> Option<String>, href: &str) -> Option<String> {
    target(
        resolve,
        href,
        &["http", "https", "mailto", "tel", "ftp", "sms"],
    )
}

/// The address of an image or video, or `None` if it should not be written.
pub(crate) fn media_target(resolve: &dyn Fn(&str) -> Option<String>, src: &str) -> Option<String> {
    target(resolve, src, &["http", "https"])
}

fn target(
    resolve: &dyn Fn(&str) -> Option<String>,
    written: &str,
    schemes: &[&str],
) -> Option<String> {
    let written = written.trim_matches(|character: char| character <= ' ');
    if written.len() > MAX_LENGTH {
        return None;
    }
    let target = resolve(written)?;
    let usable = !target.is_empty()
        && target.len() <= MAX_LENGTH
        && !target.bytes().any(|byte| byte.is_ascii_control())
        && scheme(&target).is_none_or(|scheme| {
            schemes
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(scheme))
        });
    usable.then_some(target)
}

/// The text before the first colon, unless the address is a path.
fn scheme(target: &str) -> Option<&str> {
    let end = target.find([':', '/', '?', '#'])?;
    target[end..].starts_with(':').then(|| target[..end].trim())
}
