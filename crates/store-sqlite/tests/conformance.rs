//! The contract, on SQLite.

mod ground;

store::conformance!(ground::SqliteGround::fresh);
