// Removes files of installed packages that nothing reads: a third of the size.
// node scripts/unread.mjs: after `npm ci --omit=dev` in an image, which no later installation completes.
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Paths from the root, those of folders with a slash at the end. `npm test` runs without them: if one is needed, a test
 * fails.
 */
const UNREAD = [
  // Source maps, sources (packages run as JavaScript, their types are in declarations), documents except licences.
  /\.map$/,
  /(?<!\.d)\.[cm]?tsx?$/,
  /\.(gif|jpe?g|pdf|png)$/,
  /\/(?!licen[cs]e|notice)[^/]*\.md$/i,
  // Headers of Node: npm compiles no native module.
  /^node_modules\/node[^/]*\/include\/$/,
  // CommonJS of packages that are imported.
  /^node_modules\/ccxt\/dist\/$/,
  // All but the artifacts that the local chains deploy, and the sources of those that they compile.
  /^packages\/devnet\/protocols\/.*\/(build-info\/|typechain\/|Combined-Json\.json|[^/]*\.(d\.ts|[st]\.sol\/))$/,
  /\/@uniswap\/v4-\w+\/(audits|docs|test|lib\/(?!permit2)[^/]+)\/$/,
  // Icons in styles that `packages/server/assets` does not have.
  /\/@web3icons\/core\/dist\/svgs\/(.*\.d\.ts|tokens\/(background|mono)\/|networks\/(branded|mono)\/|wallets\/)$/,
  /\/@metamask\/contract-metadata\/images\/$/,
]

/** npm also installs them for what packages of the service could do with them. */
const UNREAD_IN_PRODUCTION = [/^node_modules\/(@esbuild|esbuild|typescript)\/$/]

/** A type check reads declarations, and scripts may require viem: npm would not restore them. */
const UNREAD_IN_IMAGE = [
  /\.d\.[cm]?ts$/,
  /\.a$/,
  /^node_modules\/(viem\/_cjs|(bintrees|fastify|pino|thread-stream)\/test)\/$/,
]

const PATTERNS = {
  all: UNREAD,
  production: [...UNREAD, ...UNREAD_IN_PRODUCTION],
  image: [...UNREAD, ...UNREAD_IN_PRODUCTION, ...UNREAD_IN_IMAGE],
}

/** `folder`: from the root, with the packages of `mode`. */
export function removeUnread(folder, mode) {
  removeMatching(join(folder, 'node_modules/'), PATTERNS[mode])
}

/** Does not follow links: those of workspaces lead to sources of this repository. */
function removeMatching(folder, patterns) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`
    if (patterns.some((pattern) => pattern.test(path))) rmSync(join(root, path), { recursive: true })
    else if (entry.isDirectory()) removeMatching(path, patterns)
  }
}

if (import.meta.main) removeUnread('.', 'image')
