# syntax=docker/dockerfile:1

# The image of `trestle`: one binary with the playground and the pages inside, on distroless, as a user
# without rights.
#
#   docker build -t trestle .
#   docker buildx build --platform linux/amd64,linux/arm64 -t REGISTRY/trestle --push .
#
# Compiles for the platform that a stage runs on: give buildx a builder of each platform, or it emulates,
# which takes hours.
#
# Listens on all addresses, so it does not start without authentication:
#
#   docker run -p 8000:8000 -v trestle:/data -v ./api-keys:/api-keys:ro -e TRESTLE_API_KEYS=/api-keys trestle
#
# Its address shows the board, and with `-e TRESTLE_SERVICE=shareables,graph-runs` the pages of these services.

# A tag can name other bytes tomorrow, a digest cannot. Those that publish these images say which digest belongs to a new tag:
# `docker buildx imagetools inspect rust:1.95-bookworm`.
ARG NODE=22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
ARG RUST=1.95-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1
ARG DISTROLESS=nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

# The playground and the pages are the same on every platform, so they are bundled on the builder's own. The types of the pages come
# from the schemas.
FROM --platform=$BUILDPLATFORM node:${NODE} AS web
WORKDIR /src
COPY playground/package.json playground/package-lock.json playground/.npmrc playground/
COPY examples/package.json examples/package-lock.json examples/.npmrc examples/
COPY examples/board/package.json examples/board/
COPY examples/graph-runs/package.json examples/graph-runs/
COPY examples/shareables/package.json examples/shareables/
COPY examples/web-kit/package.json examples/web-kit/
RUN --mount=type=cache,target=/root/.npm npm ci --prefix playground && npm ci --prefix examples
COPY schema.graphql ./
COPY schemas/ schemas/
COPY playground/ playground/
COPY examples/board/ examples/board/
COPY examples/graph-runs/ examples/graph-runs/
COPY examples/shareables/ examples/shareables/
COPY examples/web-kit/ examples/web-kit/
RUN npm run --prefix playground bundle && npm run --prefix examples --workspaces --if-present bundle

FROM rust:${RUST} AS build
WORKDIR /src
ENV CARGO_TERM_COLOR=never
COPY Cargo.toml Cargo.lock ./
COPY src/ src/
COPY crates/ crates/
COPY docs/*.md docs/
COPY examples/mounted/ examples/mounted/
COPY examples/shelf/ examples/shelf/
COPY playground/cdn.html playground/
COPY --from=web /src/playground/dist/ pages/playground/
COPY --from=web /src/examples/board/dist/ pages/board/
COPY --from=web /src/examples/graph-runs/dist/ pages/graph-runs/
COPY --from=web /src/examples/shareables/dist/ pages/shareables/
# An image without its pages is none.
ENV TRESTLE_PAGES=required
ENV TRESTLE_PAGES_DIR=pages
# Cargo wants the tests and benches that Cargo.toml names to be there, and does not read them.
RUN mkdir -p benches tests/clients \
    && touch tests/main.rs tests/rules.rs tests/clients/main.rs \
    && touch benches/hot_paths.rs benches/instructions.rs benches/load.rs benches/scale.rs
# What was compiled stays in a cache, so that a change compiles its own crate and those that use it.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,target=/src/target,sharing=locked \
    cargo build --release --locked --features full --bin trestle \
    && cp target/release/trestle /usr/local/bin/trestle
# An empty folder, which becomes the volume.
WORKDIR /data

FROM gcr.io/distroless/cc-debian12:${DISTROLESS}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trestle" \
      org.opencontainers.image.description="GraphQL APIs from DynamoDB single-table designs" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /usr/local/bin/trestle /usr/local/bin/trestle
# A new volume takes over the owner of the folder that it is mounted on; 65532 is distroless' nonroot.
COPY --from=build --chown=65532:65532 /data /data
ENV TRESTLE_LISTEN=0.0.0.0:8000
# The embedded store's default place is under the current folder.
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
USER 65532:65532
# There is no shell and no curl: the binary asks itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/trestle", "health"]
ENTRYPOINT ["/usr/local/bin/trestle"]
CMD ["serve"]
