//! Interned names: a page has thousands of elements and attributes, but only a few dozen names.
//!
//! The lookup happens for every element and attribute, so a small table of recent names precedes the map; its
//! slot comes from the atom's own hash and costs no hashing. The map hashes with a random key, so a page
//! cannot choose names that collide.

use std::collections::HashMap;
use std::rc::Rc;

use html5ever::{LocalName, QualName, ns};

use super::Tag;

/// Number of recent names; a power of two.
const RECENT_SLOTS: usize = 256;

/// What all elements of one name have in common.
#[derive(Debug)]
pub(super) struct ElementKind {
    pub(super) name: Box<str>,
    pub(super) tag: Tag,
    pub(super) html: bool,
}

/// Element names, in the form the tree builder uses and in the form the tree stores.
#[derive(Debug)]
pub(super) struct ElementNames {
    recent: Vec<Option<(Rc<QualName>, u32)>>,
    numbers: HashMap<QualName, (Rc<QualName>, u32)>,
    pub(super) kinds: Vec<ElementKind>,
}

impl ElementNames {
    pub(super) fn new() -> Self {
        Self {
            recent: vec![None; RECENT_SLOTS],
            numbers: HashMap::new(),
            kinds: Vec::new(),
        }
    }

    /// The shared name and the number of its kind.
    pub(super) fn intern(&mut self, name: QualName) -> (Rc<QualName>, u32) {
        let slot = slot(&name.local);
        if let Some((known, number)) = &self.recent[slot]
            && **known == name
        {
            return (Rc::clone(known), *number);
        }
        let kinds = &mut self.kinds;
        let entry = self.numbers.entry(name).or_insert_with_key(|name| {
            kinds.push(ElementKind::of(name));
            (Rc::new(name.clone()), number(kinds.len() - 1))
        });
        self.recent[slot] = Some(entry.clone());
        entry.clone()
    }
}

impl ElementKind {
    fn of(name: &QualName) -> Self {
        let html = name.ns == ns!(html);
        let tag = match Tag::from_name(&name.local) {
            tag if html => tag,
            tag @ (Tag::A | Tag::Svg | Tag::Math) => tag,
            _ => Tag::Other,
        };
        Self {
            name: Box::from(&*name.local),
            tag,
            html,
        }
    }
}

/// Attribute names.
#[derive(Debug)]
pub(super) struct AttributeNames {
    recent: Vec<Option<(LocalName, u32)>>,
    numbers: HashMap<Box<str>, u32>,
    pub(super) spellings: Vec<Box<str>>,
}

impl AttributeNames {
    pub(super) fn new() -> Self {
        Self {
            recent: vec![None; RECENT_SLOTS],
            numbers: HashMap::new(),
            spellings: Vec::new(),
        }
    }

    pub(super) fn intern(&mut self, name: &QualName) -> u32 {
        if let Some(prefix) = name.prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
            return self.number(&format!("{prefix}:{}", name.local));
        }
        let slot = slot(&name.local);
        if let Some((known, number)) = &self.recent[slot]
            && *known == name.local
        {
            return *number;
        }
        let number = self.number(&name.local);
        self.recent[slot] = Some((name.local.clone(), number));
        number
    }

    fn number(&mut self, spelling: &str) -> u32 {
        if let Some(number) = self.numbers.get(spelling) {
            return *number;
        }
        let new = number(self.spellings.len());
        self.spellings.push(Box::from(spelling));
        self.numbers.insert(Box::from(spelling), new);
        new
    }
}

fn slot(name: &LocalName) -> usize {
    name.get_hash() as usize % RECENT_SLOTS
}

/// Converts to `u32`; pages are cut long before their parts outgrow 32 bits.
pub(super) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
