# Each habit, named once. `just` lists them.

default:
    @just --list

# Format and lint, as CI does
check:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings

# What to run after each edit: the unit tests of all crates, and the rules of the tree and the schemas
quick:
    cargo fmt --check
    cargo test --locked --lib --bins --test rules

# All tests; those that need Node, Chromium or Python say so where these are missing
test:
    cargo test --locked

# Make the pictures of the pages in docs/screenshots
pictures:
    cargo build --locked --features full
    for page in board shareables graph-runs; do (cd examples/$page && node scripts/screenshots.mjs "${CARGO_TARGET_DIR:-../../target}/debug/trestle") || exit 1; done

# Time the hot paths in process, by criterion, then the server under load over HTTP beside a server without GraphQL and a plain one
bench:
    cargo bench --locked --bench hot_paths
    cargo bench --locked --bench load

# Count the instructions of the hot paths and compare with those kept; --bless keeps these. Needs valgrind
instructions *ARGS:
    cargo bench --locked --bench instructions -- {{ARGS}}

# Ask tables of 1,000 to 100,000 applications the same, and let writers meet
scale *ARGS:
    cargo bench --locked --bench scale -- {{ARGS}}

# Write schema.graphql, schemas/ and docs/errors.md
schema:
    TRESTLE_BLESS=1 cargo test --locked --test rules schema::

# Write the table of costs in docs/costs-and-speed.md
costs:
    TRESTLE_BLESS=1 cargo test --locked -p trestle-applications --test applications costs::

# Write the tables of settings in docs/configuration.md
settings:
    TRESTLE_BLESS=1 cargo test --locked --test binary commands::settings_page

# Serve http://127.0.0.1:8000/graphql from ./trestle-data
serve *ARGS:
    cargo run --release --locked --features full -- serve {{ARGS}}

# Build the zip of the Lambda function for deploy/sam/template.yaml, on a system with glibc 2.34 or older
lambda:
    cargo build --release --locked --features full --bin trestle
    mkdir -p target/lambda
    cp target/release/trestle target/lambda/bootstrap
    cd target/lambda && python3 -m zipfile -c trestle.zip bootstrap

# Check the SAM template. Needs cfn-lint from PyPI
sam-check:
    cfn-lint deploy/sam/template.yaml

# What may come into the binary: licences, advisories, bans, sources
deny:
    cargo deny check

# Package the crates that others may depend on, and compile each from its package
package *ARGS:
    bash .ci/packages {{ARGS}}

# Everything that CI does, after installing what the tests need
ci:
    bash .ci/run

# Evaluate job-board's suggestions on postings written for it, and with `just relevance ONET=FOLDER SEED=N` on a sample of O*NET's tables
relevance *SAMPLE:
    env {{SAMPLE}} cargo test --locked -p trestle-job-board --lib --test job_board -- relevance:: suggestions::evaluation:: --nocapture

# All services in the real binary under kills and faults, and what was acknowledged compared with what is stored
chaos OPERATIONS="200000" SEED="":
    TRESTLE_CHAOS_OPERATIONS={{OPERATIONS}} TRESTLE_SEED={{SEED}} cargo test --locked --test binary -- promises::chaos:: --nocapture --test-threads=1

# All tests of applications against dynoxide over HTTP, by the SDK's own client
second-opinion:
    TRESTLE_TEST_STORE=dynoxide-http cargo test --locked -p trestle-applications --test applications -- --skip second_opinion:: --skip costs:: --skip patches:: --skip whole_lists::

# Measure `graph analyze` on large inputs: CPU seconds and peak memory. Writes them into target/large-graphs
large-graphs:
    cargo build --release --locked --features full
    python3 crates/terraform/large_graphs.py target/release/trestle target/large-graphs

# Compare graph-runs with checkov: FOLDER has repositories, CHECKOV what `checkov -d FOLDER --framework terraform -o json` printed
compare-checkov FOLDER CHECKOV *ARGS:
    cargo build --locked --features full
    python3 crates/terraform/compare_checkov.py target/debug/trestle {{FOLDER}} {{CHECKOV}} {{ARGS}}
