//! What a crawl was asked, as lines of name and value, and how two of them differ.

/// One line of what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// As a person names it: `--max-depth`.
    pub name: String,
    /// As a person reads it.
    pub value: String,
}

impl Setting {
    /// A line.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Each difference in words: `--max-depth was 3, is 5`.
pub fn differences(was: &[Setting], is: &[Setting]) -> Vec<String> {
    const NOTHING: &str = "not there";
    let value = |settings: &[Setting], name: &str| {
        let found = settings.iter().find(|setting| setting.name == name);
        found.map_or(NOTHING.to_owned(), |setting| setting.value.clone())
    };
    let gone = was
        .iter()
        .filter(|old| is.iter().all(|new| new.name != old.name));
    is.iter()
        .chain(gone)
        .map(|setting| {
            let name = setting.name.as_str();
            (name, value(was, name), value(is, name))
        })
        .filter(|(_, was, is)| was != is)
        .map(|(name, was, is)| format!("{name} was {was}, is {is}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_named() {
        let was = [
            Setting::new("--max-depth", "3"),
            Setting::new("--format", "text"),
            Setting::new("--old", "1"),
        ];
        let is = [
            Setting::new("--max-depth", "5"),
            Setting::new("--format", "text"),
            Setting::new("--new", "2"),
        ];
        assert_eq!(
            differences(&was, &is),
            [
                "--max-depth was 3, is 5",
                "--new was not there, is 2",
                "--old was 1, is not there"
            ]
        );
        assert!(differences(&was, &was).is_empty());
    }
}
