//! The contract, on Postgres.

mod ground;

store::conformance!(ground::PostgresGround::fresh);
