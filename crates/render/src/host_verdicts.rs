//! What rendering did for the pages of a host so far.
