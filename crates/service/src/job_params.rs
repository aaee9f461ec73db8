//! Requests that make jobs. Types derive `serde::Deserialize` (unknown fields denied) and `utoipa::ToSchema`.
