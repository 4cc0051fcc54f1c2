# Coffer. DATABASE_URL names its PostgreSQL, as compose.yaml does; without it an embedded one, for trials, is in /data.
# Everything that needs npm. Its layers are not in the image.
FROM node:24-bookworm-slim AS build
WORKDIR /coffer
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin
COPY packages/client/package.json packages/client/
COPY packages/mcp/package.json packages/mcp/
COPY packages/cli/package.json packages/cli/
COPY packages/portal/package.json packages/portal/
COPY packages/devnet/package.json packages/devnet/
COPY packages/beacon-devnet/package.json packages/beacon-devnet/
COPY packages/solana-fixtures/src/package.json packages/solana-fixtures/src/
COPY scripts/unread.mjs scripts/
RUN npm ci --omit=dev --workspace=packages/server --no-audit --no-fund \
  && node scripts/unread.mjs \
  && mv node_modules /packages
RUN npm ci --include=dev --workspace=packages/portal --no-audit --no-fund
COPY . .
RUN node scripts/portal.mjs

# Without npm: the service installs nothing.
FROM debian:bookworm-slim
RUN useradd --uid 1000 --no-create-home --home-dir /data --shell /usr/sbin/nologin coffer \
  && install -d -o coffer -g coffer -m 700 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /coffer
COPY --from=build /packages node_modules
COPY package.json LICENSE NOTICE ./
COPY docs/*.md docs/
COPY packages/contract/package.json packages/contract/
COPY packages/contract/src packages/contract/src
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin
COPY packages/server/src packages/server/src
COPY packages/server/assets packages/server/assets
COPY packages/client/package.json packages/client/
COPY packages/client/src packages/client/src
COPY packages/mcp/package.json packages/mcp/
COPY packages/mcp/src packages/mcp/src
COPY packages/cli/package.json packages/cli/
COPY packages/cli/src packages/cli/src
COPY --from=build /coffer/packages/portal/dist packages/portal/dist

USER coffer
# Health and metrics stay on the container's own loopback (COFFER_ADMIN_HOST), where the health check asks.
ENV NODE_ENV=production COFFER_HOST=0.0.0.0 COFFER_DATA_DIR=/data PATH=/coffer/node_modules/.bin:/usr/local/bin:/usr/bin:/bin
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The heap settings are those of scripts/run.mjs.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "packages/server/src/main.ts"]

ARG VERSION=0.1.0
ARG REVISION
ARG CREATED
ARG SOURCE
LABEL org.opencontainers.image.title="Coffer" \
  org.opencontainers.image.description="Self-hosted portfolio data service for blockchain wallets" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED" \
  org.opencontainers.image.source="$SOURCE"
