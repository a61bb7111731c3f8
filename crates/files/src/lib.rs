//! Files in an object store, behind signed URLs that let a client put or get one object for a limited time. The
//! store is S3 (or a server that speaks its protocol), a local folder, or memory. S3 signs its own URLs; URLs of a
//! folder or of memory lead to this server, at the handler that the service mounts.
//!
//! A service adds [`options`] to its arguments, opens [`Files`] with [`open`], mounts the value itself as its
//! HTTP handler at [`MOUNT`] if [`Files::are_served`], and passes [`Files::on_listening`] to its host. Knows keys and
//! bytes; authorization is the service's, before it hands out a URL.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod grant;
mod handler;
mod options;
mod signing;
mod store;
mod sweep;

pub use grant::{Download, Upload};
pub use options::{FilesArgs, OpenError, TableStore, open, open_bucket, options};
pub use signing::SigningKey;
pub use store::{CHECKSUM_HEADER, Files, FilesError, SignedUrl};
pub use sweep::Sweep;

/// Where a service mounts its files below its own path.
pub const MOUNT: &str = "files";

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
