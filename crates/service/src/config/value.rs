//! Types that can stand in a configuration: read from what was given, and given back.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use model::RobotsErrors;

use super::given::Given;
use super::units;
use super::{ResourceKind, Secret, UseJs, Viewport};

/// A value of a setting.
pub(super) trait Value: Sized {
    /// What is wanted, for people: `a duration like 10s`.
    const WANTED: &'static str;

    fn from_text(text: &str) -> Option<Self>;

    fn to_text(&self) -> String;

    fn parse(given: &Given) -> Option<Self> {
        match given {
            Given::Text(text) => Self::from_text(text),
            Given::List(_) => None,
        }
    }

    fn print(&self) -> Given {
        Given::Text(self.to_text())
    }
}

/// Types that write themselves as they are read.
macro_rules! plain {
    ($($type:ty: $wanted:literal),* $(,)?) => {$(
        impl Value for $type {
            const WANTED: &'static str = $wanted;

            fn from_text(text: &str) -> Option<Self> {
                text.trim().parse().ok()
            }

            fn to_text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

plain! {
    u32: "a whole number",
    usize: "a whole number",
    f64: "a number",
    SocketAddr: "an address and port like 127.0.0.1:8080",
}

impl Value for bool {
    const WANTED: &'static str = "true or false";

    /// `on` and `off` as well, as people write switches in an environment.
    fn from_text(text: &str) -> Option<Self> {
        match text.trim() {
            "true" | "on" => Some(true),
            "false" | "off" => Some(false),
            _ => None,
        }
    }

    fn to_text(&self) -> String {
        self.to_string()
    }
}

/// Types that are one of a few words.
macro_rules! words {
    ($($type:ty: $wanted:literal { $($word:literal => $value:expr),* })*) => {$(
        impl Value for $type {
            const WANTED: &'static str = $wanted;

            fn from_text(text: &str) -> Option<Self> {
                match text { $($word => Some($value),)* _ => None }
            }

            fn to_text(&self) -> String {
                $(if *self == $value { return $word.to_owned(); })*
                String::new()
            }
        }
    )*};
}

words! {
    RobotsErrors: "allow or disallow" { "allow" => RobotsErrors::Allow, "disallow" => RobotsErrors::Disallow }
    UseJs: "false, true or auto" { "false" => UseJs::Never, "true" => UseJs::Always, "auto" => UseJs::Auto }
    ResourceKind: "image, media, font or stylesheet" {
        "image" => ResourceKind::Image, "media" => ResourceKind::Media,
        "font" => ResourceKind::Font, "stylesheet" => ResourceKind::Stylesheet
    }
}

impl Value for String {
    const WANTED: &'static str = "a text";

    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn to_text(&self) -> String {
        self.clone()
    }
}

impl Value for Secret {
    const WANTED: &'static str = "a text";

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::new(text))
    }

    fn to_text(&self) -> String {
        self.reveal().to_owned()
    }
}

impl Value for PathBuf {
    const WANTED: &'static str = "a path";

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }

    fn to_text(&self) -> String {
        self.display().to_string()
    }
}

impl Value for Duration {
    const WANTED: &'static str = "a duration like 500ms, 10s or 1h30m";

    fn from_text(text: &str) -> Option<Self> {
        units::duration(text)
    }

    fn to_text(&self) -> String {
        units::duration_text(*self)
    }
}

/// Every `u64` of the configuration is a size.
impl Value for u64 {
    const WANTED: &'static str = "a size like 500KB, 5MB or 1GiB";

    fn from_text(text: &str) -> Option<Self> {
        units::bytes(text)
    }

    fn to_text(&self) -> String {
        units::bytes_text(*self)
    }
}

impl Value for Viewport {
    const WANTED: &'static str = "a width and height like 1280x800";

    fn from_text(text: &str) -> Option<Self> {
        let (width, height) = text.split_once('x')?;
        Some(Self {
            width: width.parse().ok()?,
            height: height.parse().ok()?,
        })
    }

    fn to_text(&self) -> String {
        format!("{}x{}", self.width, self.height)
    }
}

/// `none`, or nothing at all, means that there is none.
impl<T: Value> Value for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_text(text: &str) -> Option<Self> {
        match text {
            "" | "none" => Some(None),
            text => T::from_text(text).map(Some),
        }
    }

    fn to_text(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::to_text)
    }
}

impl<T: Value> Value for Vec<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_text(text: &str) -> Option<Self> {
        let texts = text.split(',').map(str::trim);
        texts
            .filter(|text| !text.is_empty())
            .map(T::from_text)
            .collect()
    }

    fn to_text(&self) -> String {
        let texts: Vec<String> = self.iter().map(T::to_text).collect();
        texts.join(",")
    }

    fn parse(given: &Given) -> Option<Self> {
        match given {
            Given::Text(text) => Self::from_text(text),
            Given::List(texts) => texts.iter().map(|text| T::from_text(text)).collect(),
        }
    }

    fn print(&self) -> Given {
        Given::List(self.iter().map(T::to_text).collect())
    }
}
