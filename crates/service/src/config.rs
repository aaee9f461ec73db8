//! What the service is told.
