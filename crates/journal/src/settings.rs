//! The settings of a crawl, as names and values, and how two sets differ.

/// One setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedSetting {
    /// Its name, as the user knows it.
    pub name: String,
    /// Its value, as displayed.
    pub value: String,
}

impl RecordedSetting {
    /// A setting.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Describes each difference: `depth was 3, is 5`.
pub fn differences(was: &[RecordedSetting], is: &[RecordedSetting]) -> Vec<String> {
    const UNSET: &str = "not set";
    let value = |settings: &[RecordedSetting], name: &str| {
        let found = settings.iter().find(|setting| setting.name == name);
        found.map_or(UNSET.to_owned(), |setting| setting.value.clone())
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
    fn lists_every_difference() {
        let was = [
            RecordedSetting::new("depth", "3"),
            RecordedSetting::new("format", "text"),
            RecordedSetting::new("old", "1"),
        ];
        let is = [
            RecordedSetting::new("depth", "5"),
            RecordedSetting::new("format", "text"),
            RecordedSetting::new("new", "2"),
        ];
        assert_eq!(
            differences(&was, &is),
            [
                "depth was 3, is 5",
                "new was not set, is 2",
                "old was 1, is not set"
            ]
        );
        assert!(differences(&was, &was).is_empty());
    }
}
