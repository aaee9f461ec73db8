//! The endpoints of the OpenAPI description with every value that it lists for their parameters, so that tests try a new
//! endpoint or parameter without being changed.

use serde_json::Value;

/// Values of the parameters for which the description lists none.
pub(crate) struct ParameterValues<'a> {
    pub(crate) owner: &'a str,
    pub(crate) cursors: &'a [String],
    pub(crate) idempotency_key: &'a str,
}

/// A path and a method.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) method: String,
    /// As described, with `{id}`.
    pub(crate) path: String,
    pub(crate) variants: Vec<Variant>,
}

/// Parameters of one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variant {
    /// Empty, or with its question mark.
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Endpoint {
    pub(crate) fn has_id(&self) -> bool {
        self.path.contains('{')
    }

    /// The target of a request about the job with this id.
    pub(crate) fn target(&self, id: &str, variant: &Variant) -> String {
        let filled = self.path.replace("{id}", id);
        assert!(
            !filled.contains('{'),
            "teach this test the parameters of {}",
            self.path
        );
        filled + &variant.query
    }
}

impl Variant {
    fn with(&self, place: &str, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        if place == "header" {
            changed.headers.push((name.to_owned(), value.to_owned()));
        } else {
            let joint = if changed.query.is_empty() { '?' } else { '&' };
            changed.query = format!("{}{joint}{name}={value}", changed.query);
        }
        changed
    }
}

/// All described endpoints, each without parameters, with every value of each, and with every pair of values of two.
pub(crate) fn endpoints(description: &Value, values: &ParameterValues<'_>) -> Vec<Endpoint> {
    let mut found = Vec::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            found.push(Endpoint {
                method: method.to_uppercase(),
                path: path.clone(),
                variants: variants(operation, values),
            });
        }
    }
    found
}

fn variants(operation: &Value, values: &ParameterValues<'_>) -> Vec<Variant> {
    let described = operation["parameters"].as_array();
    let parameters: Vec<&Value> = described
        .into_iter()
        .flatten()
        .filter(|parameter| parameter["in"] != "path")
        .collect();
    let mut variants = vec![Variant::default()];
    for (index, parameter) in parameters.iter().enumerate() {
        let singles = with_each(&Variant::default(), parameter, values);
        for other in &parameters[index + 1..] {
            for single in &singles {
                variants.extend(with_each(single, other, values));
            }
        }
        variants.extend(singles);
    }
    variants
}

fn with_each(variant: &Variant, parameter: &Value, values: &ParameterValues<'_>) -> Vec<Variant> {
    let place = parameter["in"].as_str().unwrap();
    let name = parameter["name"].as_str().unwrap();
    let values = values_of(name, &parameter["schema"], values);
    let changed = values.iter().map(|value| variant.with(place, name, value));
    changed.collect()
}

fn values_of(name: &str, schema: &Value, values: &ParameterValues<'_>) -> Vec<String> {
    match name {
        "owner" => return vec![values.owner.to_owned()],
        "cursor" => return values.cursors.to_vec(),
        "Idempotency-Key" => return vec![values.idempotency_key.to_owned()],
        _ => {}
    }
    if let Some(minimum) = schema["minimum"].as_u64() {
        let maximum = schema["maximum"].as_u64().unwrap_or(1_000_000);
        return vec![minimum.to_string(), maximum.to_string()];
    }
    let pattern = schema["pattern"].as_str();
    let choices = pattern.and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix('$'));
    let choices = choices.unwrap_or_else(|| panic!("teach this test the values of {name}"));
    let choices = choices.trim_start_matches('(').trim_end_matches(')');
    choices.split('|').map(str::to_owned).collect()
}
