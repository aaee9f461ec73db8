//! Types of settings: how their values are parsed and printed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crawler_model::{
    DURATION_FORMAT, JsPolicy, RobotsErrors, SIZE_FORMAT, bytes_text, duration_text, parse_bytes,
    parse_duration,
};
use crawler_render::ResourceKind;

use super::raw_value::RawValue;
use super::{ResolverChoice, Secret, Viewport};

/// A type that a setting can have.
pub(super) trait SettingValue: Sized {
    /// Description of valid values, for example `a duration like 10s`.
    const EXPECTED: &'static str;

    fn from_text(text: &str) -> Option<Self>;

    fn to_text(&self) -> String;

    fn parse(given: &RawValue) -> Option<Self> {
        match given {
            RawValue::Text(text) => Self::from_text(text),
            RawValue::List(_) => None,
        }
    }

    fn print(&self) -> RawValue {
        RawValue::Text(self.to_text())
    }
}

/// Types that implement `FromStr` and `Display` accordingly.
macro_rules! plain {
    ($($type:ty: $expected:literal),* $(,)?) => {$(
        impl SettingValue for $type {
            const EXPECTED: &'static str = $expected;

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

impl SettingValue for bool {
    const EXPECTED: &'static str = "true or false";

    /// Accepts `on` and `off` as well, which are common in environment variables.
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

/// Types that are one of a few keywords.
macro_rules! keywords {
    ($($type:ty: $expected:literal { $($word:literal => $value:expr),* })*) => {$(
        impl SettingValue for $type {
            const EXPECTED: &'static str = $expected;

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

keywords! {
    RobotsErrors: "allow or disallow" { "allow" => RobotsErrors::Allow, "disallow" => RobotsErrors::Disallow }
    ResolverChoice: "dns or system" { "dns" => ResolverChoice::Dns, "system" => ResolverChoice::System }
    JsPolicy: "false, true or auto" { "false" => JsPolicy::Never, "true" => JsPolicy::Always, "auto" => JsPolicy::Auto }
    ResourceKind: "image, media, font or stylesheet" {
        "image" => ResourceKind::Image, "media" => ResourceKind::Media,
        "font" => ResourceKind::Font, "stylesheet" => ResourceKind::Stylesheet
    }
}

impl SettingValue for String {
    const EXPECTED: &'static str = "a string";

    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn to_text(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Secret {
    const EXPECTED: &'static str = "a string";

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::new(text))
    }

    fn to_text(&self) -> String {
        self.reveal().to_owned()
    }
}

impl SettingValue for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }

    fn to_text(&self) -> String {
        self.display().to_string()
    }
}

impl SettingValue for Duration {
    const EXPECTED: &'static str = DURATION_FORMAT;

    fn from_text(text: &str) -> Option<Self> {
        parse_duration(text)
    }

    fn to_text(&self) -> String {
        duration_text(*self)
    }
}

/// Every `u64` in the configuration is a size in bytes.
impl SettingValue for u64 {
    const EXPECTED: &'static str = SIZE_FORMAT;

    fn from_text(text: &str) -> Option<Self> {
        parse_bytes(text)
    }

    fn to_text(&self) -> String {
        bytes_text(*self)
    }
}

impl SettingValue for Viewport {
    const EXPECTED: &'static str = "a width and height like 1280x800";

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

/// `none` and the empty string mean `None`.
impl<T: SettingValue> SettingValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

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

impl<T: SettingValue> SettingValue for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED;

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

    fn parse(given: &RawValue) -> Option<Self> {
        match given {
            RawValue::Text(text) => Self::from_text(text),
            RawValue::List(texts) => texts.iter().map(|text| T::from_text(text)).collect(),
        }
    }

    fn print(&self) -> RawValue {
        RawValue::List(self.iter().map(T::to_text).collect())
    }
}
