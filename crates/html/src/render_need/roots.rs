//! Recognizes the root elements into which frameworks render their pages.

/// The outermost open framework root, with the counts at its start. Roots inside it are part of it.
#[derive(Debug, Default)]
pub(super) struct Roots {
    open: Option<(Vec<u8>, OpenRoot)>,
}

/// The counts of a page when a root was opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRoot {
    pub(super) text: usize,
    pub(super) links: usize,
    pub(super) controls: usize,
    pub(super) shown: usize,
    /// Open elements of the same name, including the root itself.
    pub(super) depth: usize,
}

/// No root has a longer name; longer ones are not copied.
const MAX_NAME: usize = 40;

impl Roots {
    /// Processes the start of an element.
    pub(super) fn start(&mut self, name: &[u8], is_root: bool, here: OpenRoot) {
        match &mut self.open {
            Some((open, root)) => root.depth += usize::from(open.eq_ignore_ascii_case(name)),
            None if is_root && name.len() <= MAX_NAME => {
                self.open = Some((name.to_vec(), here));
            }
            None => {}
        }
    }

    /// Processes the end of an element; returns the root if it was that.
    pub(super) fn end(&mut self, name: &[u8]) -> Option<OpenRoot> {
        let (open, root) = self.open.as_mut()?;
        if !open.eq_ignore_ascii_case(name) {
            return None;
        }
        root.depth -= 1;
        (root.depth == 0)
            .then(|| self.open.take())?
            .map(|(_, root)| root)
    }

    /// Processes the end of the page.
    pub(super) fn close_all(&mut self) -> Option<OpenRoot> {
        self.open.take().map(|(_, root)| root)
    }
}

const IDS: [&str; 30] = [
    "___gatsby",
    "__docusaurus",
    "__layout",
    "__next",
    "__nuxt",
    "_app",
    "app",
    "app-container",
    "app-content",
    "app-mount",
    "app-root",
    "app_root",
    "application",
    "approot",
    "ember-app",
    "main-app",
    "mount",
    "mountnode",
    "q-app",
    "react-app",
    "react-root",
    "react_root",
    "reactroot",
    "root",
    "single-spa-application",
    "solid-root",
    "spa",
    "svelte",
    "vue-app",
    "wrapper-app",
];

/// Attributes by which frameworks mark their root.
const ATTRIBUTES: [&str; 12] = [
    "data-elm-app",
    "data-ng-app",
    "data-reactroot",
    "data-server-rendered",
    "data-solid-root",
    "data-sveltekit-root",
    "data-v-app",
    "data-vue-app",
    "ng-app",
    "ng-version",
    "q:container",
    "x-ng-app",
];

const CLASSES: [&str; 3] = ["ember-application", "ember-view", "flutter-view"];

/// Parts of class names used for loading placeholders.
const SKELETONS: [&str; 5] = [
    "skeleton",
    "shimmer",
    "spinner",
    "preloader",
    "placeholder-glow",
];

pub(super) fn is_root_id(id: &[u8]) -> bool {
    one_of(&IDS, id.trim_ascii())
}

pub(super) fn is_root_attribute(name: &[u8]) -> bool {
    // Hardly any attribute name has one of these lengths.
    matches!(name.len(), 6 | 8 | 10 | 11 | 12 | 14 | 15 | 19 | 20) && (one_of(&ATTRIBUTES, name))
}

pub(super) fn is_root_class(class: &[u8]) -> bool {
    class.len() < 200
        && class
            .split(u8::is_ascii_whitespace)
            .any(|one| one_of(&CLASSES, one))
}

/// Whether a custom element is a root by convention: `app-root`, `my-app`, `shop-app`.
pub(super) fn is_root_name(name: &[u8]) -> bool {
    let Some(dash) = memchr::memchr(b'-', name) else {
        return false;
    };
    let ends_in_app = name
        .len()
        .checked_sub(4)
        .is_some_and(|cut| name[cut..].eq_ignore_ascii_case(b"-app"));
    ends_in_app
        || name.eq_ignore_ascii_case(b"app-root")
        || name.eq_ignore_ascii_case(b"app-shell")
        || (dash == 3 && name[..3].eq_ignore_ascii_case(b"app") && name.len() <= 12)
}

pub(super) fn is_skeleton(class: &[u8]) -> bool {
    !class.is_empty()
        && class.len() < 200
        && SKELETONS.iter().any(|word| {
            class
                .windows(word.len())
                .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
        })
}

fn one_of(known: &[&str], word: &[u8]) -> bool {
    known
        .iter()
        .any(|one| word.eq_ignore_ascii_case(one.as_bytes()))
}
