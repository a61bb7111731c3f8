//! The binary under writers, killed.

mod crash;
