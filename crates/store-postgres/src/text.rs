//! Postgres stores no NUL character, in text or in jsonb, but pages may contain one. One page must not fail its batch.

use std::borrow::Cow;

use serde_json::Value;

pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

pub(crate) fn owned(text: &str) -> String {
    clean(text).into_owned()
}

pub(crate) fn clean_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(owned(&text)),
        Value::Array(values) => Value::Array(values.into_iter().map(clean_json).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, value)| (owned(&key), clean_json(value)))
                .collect(),
        ),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nul_is_replaced_in_keys_and_values() {
        let dirty = json!({"a\0": ["x\0y", {"b": "\0"}], "n": 1});
        let tidy = json!({"a\u{fffd}": ["x\u{fffd}y", {"b": "\u{fffd}"}], "n": 1});
        assert_eq!(clean_json(dirty), tidy);
    }
}
