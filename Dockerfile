# Coffer with its embedded PostgreSQL; the data is in /data. Set DATABASE_URL to use a PostgreSQL of your own.
FROM node:24-bookworm-slim

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
# The Node from npm is for machines that have another one; here it would only be weight.
RUN npm install --no-save --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/.bin/node /root/.npm \
  && install -d -o node -g node -m 700 /data
COPY . .
RUN node scripts/portal.mjs && rm -rf .coffer

USER node
# Health and metrics stay on the container's own loopback (COFFER_ADMIN_HOST), where the health check asks.
ENV COFFER_HOST=0.0.0.0 COFFER_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The heap settings are those of scripts/run.mjs.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "packages/server/src/main.ts"]
