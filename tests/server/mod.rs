//! The server from outside: real HTTP against a service made for the purpose, and against the real binary.

mod binary;
mod bodies;
mod connections;
mod demo;
mod documentation;
mod documents;
mod door;
mod errors;
mod examples;
mod heavy;
mod holders;
mod http;
mod index;
mod language;
#[cfg(target_os = "linux")]
mod large_json;
#[cfg(target_os = "linux")]
mod memory;
mod origins;
mod overload;
mod persisted;
mod proxied;
mod routes;
mod rules;
#[cfg(target_os = "linux")]
mod sending;
mod settings;
mod stopping;
mod support;
