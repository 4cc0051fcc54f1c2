# Coffer with its embedded PostgreSQL, whose data is in /data. Set DATABASE_URL to use a PostgreSQL of your own, as compose.yaml does.
FROM node:24-bookworm-slim AS manifests
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

# The portal, with what its build needs.
FROM manifests AS build
RUN npm ci --include=dev --workspace=packages/portal --no-audit --no-fund
COPY . .
RUN node scripts/portal.mjs

FROM manifests
LABEL org.opencontainers.image.title="Coffer" \
  org.opencontainers.image.description="Self-hosted portfolio data service for blockchain wallets" \
  org.opencontainers.image.licenses="MIT"
COPY scripts/unread.mjs scripts/
RUN npm ci --omit=dev --workspace=packages/server --no-audit --no-fund \
  && node scripts/unread.mjs \
  && rm -rf /root/.npm \
  && install -d -o node -g node -m 700 /data
COPY LICENSE NOTICE ./
COPY docs docs
COPY packages/contract/src packages/contract/src
COPY packages/server/src packages/server/src
COPY packages/server/assets packages/server/assets
COPY packages/client/src packages/client/src
COPY packages/mcp/src packages/mcp/src
COPY packages/cli/src packages/cli/src
COPY --from=build /coffer/packages/portal/dist packages/portal/dist

USER node
# Health and metrics stay on the container's own loopback (COFFER_ADMIN_HOST), where the health check asks.
ENV NODE_ENV=production COFFER_HOST=0.0.0.0 COFFER_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The heap settings are those of scripts/run.mjs.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "packages/server/src/main.ts"]
