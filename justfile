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

# Time the hot paths in process, by criterion, then the server under load over HTTP beside a floor without GraphQL
bench:
    cargo bench --locked --bench hot_paths
    cargo bench --locked --bench load

# Count the instructions of the hot paths and compare with those kept; --bless keeps these. Needs valgrind
instructions *ARGS:
    cargo bench --locked --bench instructions -- {{ARGS}}

# Ask tables of 1,000 to 100,000 applications the same, and let writers meet
scale *ARGS:
    cargo bench --locked --bench scale -- {{ARGS}}

# Write schema.graphql and schemas/ anew
schema:
    cargo run --locked -- schema applications > schema.graphql.new
    mv schema.graphql.new schema.graphql
    cargo run --locked -- schema graph-runs > schemas/graph-runs.graphql.new
    mv schemas/graph-runs.graphql.new schemas/graph-runs.graphql

# Write README.md's table of costs anew
costs:
    TRESTLE_BLESS=1 cargo test --locked --test applications costs::

# Serve http://127.0.0.1:8000/graphql from ./trestle-data
serve *ARGS:
    cargo run --release --locked -- serve {{ARGS}}

# Bundle GraphiQL, so that the next build of the binary embeds it
playground:
    cd playground && npm ci && npm run build
    # Cargo sees files that are embedded change, and none appear.
    touch src/server/playground.rs

# Bundle the board, so that the next build of the binary embeds it: `just serve --board`
board:
    cd examples/board && npm ci && npm run build
    touch src/server/board.rs

# What may come into the binary: licences, advisories, bans, sources
deny:
    cargo deny check

# Everything that CI does, after installing what the tests need
ci:
    bash .ci/run
