# Each habit, named once. `just` lists them.

default:
    @just --list

# Format and lint, as CI does
check:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings

# All tests; those that need Node, Chromium or Python say so where these are missing
test:
    cargo test --locked

# Write schema.graphql and schemas/ anew
schema:
    cargo run --locked -- schema applications > schema.graphql.new
    mv schema.graphql.new schema.graphql
    cargo run --locked -- schema graph-runs > schemas/graph-runs.graphql.new
    mv schemas/graph-runs.graphql.new schemas/graph-runs.graphql

# Serve http://127.0.0.1:8000/graphql from ./trestle-data
serve *ARGS:
    cargo run --release --locked -- serve {{ARGS}}

# Bundle GraphiQL, so that the next build of the binary embeds it
playground:
    cd playground && npm ci && npm run build

# What may come into the binary: licences, advisories, bans, sources
deny:
    cargo deny check

# Everything that CI does, after installing what the tests need
ci:
    bash .ci/run
