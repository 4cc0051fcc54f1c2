import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, expect, test } from 'vitest'

// Runs the rules of .dependency-cruiser.mjs over a small tree with realistic paths.

const root = join(import.meta.dirname, '../../../..')
const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as { default: IConfiguration }

/** `kind`: set for imports of types alone. Paths are the server's unless they name a package. */
type Import = readonly [from: string, to: string, kind?: 'type']

/** Each rule must report exactly its rows. */
const PLANTED: readonly (readonly [rule: string, ...planted: Import])[] = [
  ['no-cycles', 'domain/first.ts', 'domain/second.ts'],
  ['resolvable', 'lib/clock.ts', './missing.ts'],
  ['lib-imports-only', 'lib/retry.ts', 'domain/decimal.ts', 'type'],
  ['domain-imports-only', 'domain/lot.ts', 'chains/chain.ts', 'type'],
  ['domain-imports-only', 'domain/pnl.ts', '@contract/portfolio.ts', 'type'],
  ['domain-does-no-io', 'domain/epoch.ts', 'node:fs'],
  ['figures-need-no-clock', 'domain/now.ts', 'lib/clock.ts', 'type'],
  ['figures-need-no-clock', 'chains/evm/protocols/morpho/adapter.ts', 'lib/http-client.ts'],
  ['chains-imports-only', 'chains/evm/protocols/balancer/adapter.ts', 'db/tables.ts', 'type'],
  ['chains-imports-only', 'chains/solana/reader/pool.ts', 'features/portfolio/refresh.ts', 'type'],
  ['chain-types-are-independent', 'chains/solana/activity/search.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['chain-types-are-independent', 'chains/evm/protocols/pendle/adapter.ts', 'chains/solana/codec/token-program.ts'],
  ['shared-code-names-no-chain-type', 'chains/rpc/pool.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['shared-code-names-no-chain-type', 'chains/chain.ts', 'chains/solana/codec/token-program.ts', 'type'],
  ['shared-code-names-no-chain-type', 'chains/shared/price-read.ts', 'chains/evm/protocols/adapter.ts', 'type'],
  ['chain-types-are-reached-through-the-port', 'features/validators/blocks.ts', 'chains/evm/logs/logs.ts', 'type'],
  [
    'chain-types-are-reached-through-the-port',
    'features/airdrops/programs.test.ts',
    'chains/solana/codec/token-program.ts',
  ],
  ['chain-types-are-reached-through-the-port', 'bin/sui.ts', 'chains/sui/chain-type.ts', 'type'],
  ['chain-types-are-reached-through-the-port', 'context.ts', 'chains/evm/chain-type.ts'],
  ['chain-types-are-reached-through-the-port', 'main.ts', 'chains/solana/chain-type.ts'],
  ['chain-types-are-reached-through-the-port', 'prices/graph.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['chain-types-are-reached-through-the-port', 'catalog/tokens.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['chain-types-are-reached-through-the-port', 'wallets/refresh.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['chain-types-are-reached-through-the-port', 'config/rows.ts', 'chains/evm/protocols/protocols.ts'],
  ['chain-types-are-passed-in', 'features/portfolio/wallets.ts', 'chains/chain-types.ts'],
  ['chain-types-are-passed-in', 'config/rows.ts', 'chains/chain-types.ts'],
  ['chain-types-are-passed-in', 'wallets/create-reading.ts', 'chains/chain-types.ts'],
  ['chain-types-are-passed-in', 'chains/shared/price-read.ts', 'chains/chain-types.ts'],
  ['nodes-know-no-figures', 'chains/evm/reader/batch.ts', 'chains/evm/protocols/adapter.ts', 'type'],
  ['protocols-know-no-prices', 'chains/evm/protocols/lido/adapter.ts', 'prices/graph.ts', 'type'],
  ['protocols-know-no-prices', 'chains/solana/decode/naming-rules.ts', 'chains/solana/prices/pyth.ts', 'type'],
  ['beacon-imports-only', 'beacon/pool.ts', 'chains/rpc/pool.ts', 'type'],
  ['beacon-imports-only', 'beacon/rewards.ts', 'features/validators/indexer.ts', 'type'],
  ['exchanges-imports-only', 'exchanges/kraken.ts', 'prices/graph.ts', 'type'],
  ['prices-imports-only', 'prices/graph.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['catalog-imports-only', 'catalog/tokens.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['wallets-imports-only', 'wallets/refresh.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['wallets-imports-only', 'wallets/searched-chain.ts', 'features/portfolio/nav.ts', 'type'],
  ['readers-arrive-as-arguments', 'chains/evm/prices/feeds.ts', 'chains/evm/reader/batch.ts'],
  ['readers-arrive-as-arguments', 'chains/evm/protocols/rocket/adapter.ts', 'chains/evm/logs/logs.ts'],
  ['db-imports-only', 'db/tables.ts', 'domain/decimal.ts', 'type'],
  ['jobs-imports-only', 'jobs/queue.ts', 'features/credits/credits.ts', 'type'],
  ['config-imports-only', 'config/config.ts', 'prices/graph.ts', 'type'],
  ['config-imports-only', 'config/relays.ts', 'exchanges/kraken.ts', 'type'],
  ['config-imports-only', 'config/rows.ts', 'chains/evm/protocols/protocols.ts'],
  ['http-imports-only', 'http/app.ts', 'features/credits/credits.ts', 'type'],
  ['features-imports-only', 'features/credits/credits-routes.ts', 'http/app.ts', 'type'],
  ['features-imports-only', 'features/credits/credits.ts', 'config/config.ts', 'type'],
  ['no-sibling-protocol', 'chains/evm/protocols/aave/adapter.ts', 'chains/evm/protocols/compound/adapter.ts', 'type'],
  ['no-sibling-protocol', 'chains/evm/protocols/aave/adapter.test.ts', 'chains/evm/protocols/compound/abi.ts'],
  ['no-sibling-protocol', 'chains/solana/protocols/save/adapter.ts', 'chains/solana/protocols/drift/layout.ts', 'type'],
  ['no-sibling-protocol', 'chains/evm/protocols/shared/v3-math.ts', 'chains/evm/protocols/lido/abi.ts'],
  ['no-foreign-routes-or-store', 'features/portfolio/refresh.ts', 'features/credits/credits-store.ts', 'type'],
  ['no-foreign-routes-or-store', 'features/portfolio/nav.ts', 'features/credits/credits-routes.ts'],
  ['use-cases-know-no-http', 'features/keys/keys.ts', 'http/mount.ts', 'type'],
  ['use-cases-know-no-http', 'features/keys/ring.ts', 'fastify', 'type'],
  ['routes-take-types-of-http', 'features/keys/keys-routes.ts', 'http/mount.ts'],
  ['routes-take-types-of-http', 'features/chains/chain-routes.ts', 'fastify'],
  ['routes-take-types-of-http', 'features/keys/module.ts', 'http/mount.ts'],
  ['contract-is-a-leaf', '@contract/endpoint.ts', 'domain/decimal.ts', 'type'],
  ['client-knows-the-contract-only', '@client/client.ts', 'http/mount.ts', 'type'],
  ['mcp-knows-the-client-only', '@mcp/tools.ts', 'lib/retry.ts', 'type'],
  ['cli-knows-the-client-only', '@cli/run.ts', '@mcp/tools.ts'],
  ['cli-knows-the-client-only', '@cli/run.ts', 'lib/retry.ts', 'type'],
  ['portal-knows-types-of-the-contract-only', '@portal/api/request.ts', '@client/errors.ts', 'type'],
  ['portal-takes-types-of-the-contract', '@portal/api/chains.ts', '@contract/portfolio.ts'],
  ['nothing-imports-the-portal', '@client/screens.ts', '@portal/lib/money.ts', 'type'],
  ['screens-stand-apart', '@portal/screens/keys/keys-screen.ts', '@portal/screens/me/own.ts', 'type'],
  ['screens-stand-apart', '@portal/screens/keys/key-dialogs.ts', '@portal/routes/router.tsx'],
  ['devnet-stands-alone', '@devnet/chain.ts', '@contract/portfolio.ts', 'type'],
  ['beacon-devnet-stands-alone', '@beacon-devnet/chain.ts', '@contract/portfolio.ts', 'type'],
  ['fixtures-stand-alone', '@solana-fixtures/save.ts', 'chains/solana/protocols/save/adapter.ts', 'type'],
  ['product-needs-no-devnet', 'main.ts', '@devnet/devnet.ts'],
  ['product-needs-no-devnet', 'bin/place.ts', '@solana-fixtures/drift.ts', 'type'],
  ['product-needs-no-devnet', 'bin/validators.ts', '@beacon-devnet/beacon-devnet.ts', 'type'],
  ['only-entry-points-compose', 'tools/serve.ts', 'context.ts', 'type'],
  ['the-root-has-two-files', 'compose-access.ts', 'lib/retry.ts'],
  ['modules-are-joined-by-the-context', 'features/wallet/account.ts', 'features/history/module.ts', 'type'],
]

/** Allowed by the house plan: no rule may report these. */
const ALLOWED: readonly Import[] = [
  ['main.ts', 'context.ts'],
  ['main.ts', 'config/config.ts'],
  ['bin/run-admin.ts', 'db/tables.ts'],
  ['context.ts', 'features/portfolio/module.ts'],
  ['features/modules.ts', 'features/portfolio/module.ts'],
  ['bin/run-admin.ts', 'features/portfolio/module.ts'],
  ['features/portfolio/module.ts', 'features/module.ts', 'type'],
  ['features/module.ts', 'http/mount.ts', 'type'],
  ['features/keys/module.ts', 'http/mount.ts', 'type'],
  ['context.ts', 'http/app.ts'],
  ['config/chains.ts', 'chains/chain-catalog.ts'],
  ['config/chains.ts', 'chains/protocol-row.ts', 'type'],
  ['config/relays.ts', 'exchanges/exchange-list.ts'],
  ['config/config.ts', 'chains/chain-types.ts'],
  ['config/chains.test.ts', 'chains/chain-types.ts'],
  ['bin/input.ts', 'chains/chain-types.ts'],
  ['chains/chain-types.ts', 'chains/evm/chain-type.ts'],
  ['features/validators/income.ts', 'chains/execution-reading.ts', 'type'],
  ['domain/holding.ts', 'domain/decimal.ts'],
  // The second half of the planted cycle, which is reported once, and a cycle of types alone.
  ['domain/second.ts', 'domain/first.ts'],
  ['domain/mutual.ts', 'domain/mutual-types.ts'],
  ['domain/mutual-types.ts', 'domain/mutual.ts', 'type'],
  ['domain/decimal.test.ts', 'node:fs'],
  ['chains/evm/reader/batch.ts', 'lib/retry.ts'],
  ['beacon/pool.ts', 'lib/fail-over.ts'],
  ['beacon/rewards.ts', 'domain/validator-epoch.ts', 'type'],
  ['features/validators/indexer.ts', 'beacon/pool.ts', 'type'],
  ['exchanges/kraken.ts', 'domain/decimal.ts'],
  ['features/wallet/account.ts', 'exchanges/exchange.ts', 'type'],
  ['chains/evm/prices/aave.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['prices/sources/defillama.ts', 'lib/http-client.ts'],
  ['chains/evm/prices/aave.ts', 'prices/graph.ts'],
  ['chains/evm/reader/batch.ts', 'chains/rpc/pool.ts'],
  ['chains/evm/protocols/compound/adapter.ts', 'chains/evm/reader/batch.ts', 'type'],
  ['chains/evm/protocols/compound/adapter.ts', 'chains/evm/protocols/compound/abi.ts'],
  ['chains/evm/protocols/compound/adapter.ts', 'chains/evm/protocols/each-alone.ts'],
  ['chains/evm/protocols/compound/adapter.ts', 'chains/evm/protocols/shared/v3-math.ts'],
  ['chains/evm/protocols/protocols.ts', 'chains/evm/protocols/compound/adapter.ts'],
  ['chains/evm/protocols/compound/adapter.chain.test.ts', 'chains/evm/reader/batch.ts'],
  ['chains/evm/protocols/compound/adapter.chain.test.ts', '@devnet/devnet.ts'],
  ['chains/solana/protocols/save/adapter.ts', 'chains/solana/codec/token-program.ts'],
  ['chains/solana/protocols/save/adapter.test.ts', '@solana-fixtures/save.ts'],
  ['catalog/tokens.ts', 'chains/chain.ts', 'type'],
  ['catalog/tokens.ts', 'db/tables.ts', 'type'],
  ['wallets/refresh.ts', 'chains/chain-reading.ts', 'type'],
  ['chains/evm/collect/collect.ts', 'chains/shared/price-read.ts'],
  ['chains/evm/collect/collect.ts', 'prices/graph.ts', 'type'],
  ['http/mount.ts', '@contract/portfolio.ts'],
  ['http/mount.ts', 'fastify'],
  ['features/wallet/wallet-routes.ts', 'http/mount.ts', 'type'],
  ['features/wallet/wallet-routes.ts', '@contract/portfolio.ts'],
  ['features/wallet/wallet.ts', 'features/credits/ledger.ts'],
  ['features/wallet/wallet.ts', 'features/wallet/wallet-store.ts'],
  ['features/wallet/wallet.ts', 'jobs/schedule.ts'],
  ['features/wallet/wallet.test.ts', 'http/app.ts'],
  ['@client/errors.ts', '@contract/portfolio.ts'],
  ['@mcp/tools.ts', '@client/errors.ts'],
  ['@cli/service.ts', '@client/errors.ts'],
  ['http/mount.ts', '@mcp/tools.ts'],
  ['@portal/api/types.ts', '@contract/portfolio.ts', 'type'],
  ['@portal/screens/keys/keys-screen.ts', '@portal/lib/money.ts'],
  ['@beacon-devnet/execution.ts', '@devnet/anvil.ts'],
]

const folder = mkdtempSync(join(tmpdir(), 'coffer-import-rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `domain/lot.ts` and `@contract/portfolio.ts` become paths in the tree; external modules stay unchanged. */
function pathOf(name: string): string {
  const [, owner = 'server', file = name] = /^@([\w-]+)\/(.*)$/.exec(name) ?? []
  return `packages/${owner}/src/${file}`
}

const isOfOthers = (name: string) => name === 'fastify' || name.startsWith('node:') || name.startsWith('./')

function statement([from, to, kind]: Import): string {
  const target = isOfOthers(to) ? to : `./${relative(dirname(pathOf(from)), pathOf(to))}`
  return `import ${kind ? 'type ' : ''}* as imported from '${target}'\nexport type { imported }\n`
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text, { flag: 'a' })
}

async function violations(imports: readonly Import[]): Promise<string[]> {
  write('node_modules/fastify/package.json', '{"name":"fastify","main":"index.js"}')
  write('node_modules/fastify/index.js', 'module.exports = {}')
  const once = new Map(imports.map((one) => [one.join(), one]))
  for (const [, to] of imports) if (!isOfOthers(to)) write(pathOf(to), '')
  for (const one of once.values()) write(pathOf(one[0]), statement(one))
  const { output } = await cruise(['packages'], { ruleSet: config, validate: true, baseDir: folder })
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
}

function expected(rule: string, [from, to]: Import): string {
  if (to === 'fastify') return `${rule}: ${pathOf(from)} → node_modules/fastify/index.js`
  return `${rule}: ${pathOf(from)} → ${isOfOthers(to) ? to.replace(/^node:/, '') : pathOf(to)}`
}

test('each import rule reports what is planted for it, and no import that the plan allows', async () => {
  const reported = await violations([...PLANTED.map(([, ...planted]) => planted), ...ALLOWED])
  expect(reported.sort()).toEqual(PLANTED.map(([rule, ...planted]) => expected(rule, planted)).sort())
})

test('every import rule is planted', () => {
  expect([...new Set(PLANTED.map(([rule]) => rule))].sort()).toEqual(config.forbidden?.map(({ name }) => name).sort())
})
