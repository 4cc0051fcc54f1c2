import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, expect, test } from 'vitest'

// The rules of .dependency-cruiser.mjs over a small tree whose paths look like the real ones.

const root = join(import.meta.dirname, '../../../..')
const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as { default: IConfiguration }

/** An import: who, whom, and whether for types alone. A path of the server unless it says its package. */
type Import = readonly [from: string, to: string, kind?: 'type']

/** What each rule must report, and nothing else may. */
const PLANTED: Record<string, readonly Import[]> = {
  'no-cycles': [['domain/first.ts', 'domain/second.ts']],
  resolvable: [['lib/clock.ts', './missing.ts']],
  'lib-imports-only': [['lib/retry.ts', 'domain/decimal.ts', 'type']],
  'domain-imports-only': [
    ['domain/lot.ts', 'kinds/chain.ts', 'type'],
    ['domain/pnl.ts', '@contract/portfolio.ts', 'type'],
  ],
  'domain-does-no-io': [['domain/epoch.ts', 'node:fs']],
  'figures-need-no-clock': [
    ['domain/now.ts', 'lib/clock.ts', 'type'],
    ['kinds/evm/families/morpho/family.ts', 'lib/http-client.ts'],
  ],
  'kinds-imports-only': [
    ['kinds/evm/families/balancer/family.ts', 'db/tables.ts', 'type'],
    ['kinds/solana/reader/pool.ts', 'features/portfolio/refresh.ts', 'type'],
  ],
  'kinds-stand-apart': [
    ['kinds/solana/activity/search.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['kinds/evm/families/pendle/family.ts', 'kinds/solana/codec/mint.ts'],
  ],
  'what-kinds-share-names-none': [
    ['kinds/rpc/pool.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['kinds/chain.ts', 'kinds/solana/codec/mint.ts', 'type'],
    ['kinds/collect/price-read.ts', 'kinds/evm/families/family.ts', 'type'],
  ],
  'kinds-are-behind-the-port': [
    ['features/validators/blocks.ts', 'kinds/evm/logs/logs.ts', 'type'],
    ['features/airdrops/programs.test.ts', 'kinds/solana/codec/mint.ts'],
    ['bin/sui.ts', 'kinds/sui/kind.ts', 'type'],
    ['context.ts', 'kinds/evm/kind.ts'],
    ['main.ts', 'kinds/solana/kind.ts'],
    ['prices/graph.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['knowledge/tokens.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['reading/refresh.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['config/rows.ts', 'kinds/evm/families/families.ts'],
  ],
  'kinds-are-given': [
    ['features/portfolio/wallets.ts', 'kinds/kinds.ts'],
    ['config/rows.ts', 'kinds/kinds.ts'],
    ['reading/open-reading.ts', 'kinds/kinds.ts'],
    ['kinds/collect/price-read.ts', 'kinds/kinds.ts'],
  ],
  'nodes-know-no-figures': [['kinds/evm/reader/wave.ts', 'kinds/evm/families/family.ts', 'type']],
  'protocols-know-no-prices': [
    ['kinds/evm/families/lido/family.ts', 'prices/graph.ts', 'type'],
    ['kinds/solana/history/book.ts', 'kinds/solana/prices/pyth.ts', 'type'],
  ],
  'beacon-imports-only': [
    ['beacon/pool.ts', 'kinds/rpc/pool.ts', 'type'],
    ['beacon/rewards.ts', 'features/validators/indexer.ts', 'type'],
  ],
  'exchanges-imports-only': [['exchanges/kraken.ts', 'prices/graph.ts', 'type']],
  'prices-imports-only': [['prices/graph.ts', 'kinds/evm/reader/wave.ts', 'type']],
  'knowledge-imports-only': [['knowledge/tokens.ts', 'kinds/evm/reader/wave.ts', 'type']],
  'reading-imports-only': [
    ['reading/refresh.ts', 'kinds/evm/reader/wave.ts', 'type'],
    ['reading/searched-chain.ts', 'features/portfolio/nav.ts', 'type'],
  ],
  'readers-arrive-as-arguments': [
    ['kinds/evm/prices/feeds.ts', 'kinds/evm/reader/wave.ts'],
    ['kinds/evm/families/rocket/family.ts', 'kinds/evm/logs/logs.ts'],
  ],
  'db-imports-only': [['db/tables.ts', 'domain/decimal.ts', 'type']],
  'jobs-imports-only': [['jobs/queue.ts', 'features/credits/credits.ts', 'type']],
  'config-imports-only': [
    ['config/config.ts', 'prices/graph.ts', 'type'],
    ['config/relays.ts', 'exchanges/kraken.ts', 'type'],
    ['config/rows.ts', 'kinds/evm/families/families.ts'],
  ],
  'http-imports-only': [['http/app.ts', 'features/credits/credits.ts', 'type']],
  'features-imports-only': [
    ['features/credits/credits-routes.ts', 'http/app.ts', 'type'],
    ['features/credits/credits.ts', 'config/config.ts', 'type'],
  ],
  'no-sibling-family': [
    ['kinds/evm/families/aave/family.ts', 'kinds/evm/families/compound/family.ts', 'type'],
    ['kinds/evm/families/aave/family.test.ts', 'kinds/evm/families/compound/abi.ts'],
    ['kinds/solana/families/save/family.ts', 'kinds/solana/families/drift/layout.ts', 'type'],
    ['kinds/evm/families/shared/v3-math.ts', 'kinds/evm/families/lido/abi.ts'],
  ],
  'no-foreign-routes-or-store': [
    ['features/portfolio/refresh.ts', 'features/credits/credits-store.ts', 'type'],
    ['features/portfolio/nav.ts', 'features/credits/credits-routes.ts'],
  ],
  'use-cases-know-no-http': [
    ['features/keys/keys.ts', 'http/mount.ts', 'type'],
    ['features/keys/ring.ts', 'fastify', 'type'],
  ],
  'routes-take-types-of-http': [
    ['features/keys/keys-routes.ts', 'http/mount.ts'],
    ['features/chains/chain-routes.ts', 'fastify'],
  ],
  'contract-is-a-leaf': [['@contract/endpoint.ts', 'domain/decimal.ts', 'type']],
  'client-knows-the-contract-only': [['@client/client.ts', 'http/mount.ts', 'type']],
  'mcp-knows-the-client-only': [['@mcp/tools.ts', 'lib/retry.ts', 'type']],
  'cli-knows-the-client-only': [
    ['@cli/run.ts', '@mcp/tools.ts'],
    ['@cli/run.ts', 'lib/retry.ts', 'type'],
  ],
  'portal-knows-types-of-the-contract-only': [['@portal/api/request.ts', '@client/errors.ts', 'type']],
  'portal-takes-types-of-the-contract': [['@portal/api/chains.ts', '@contract/portfolio.ts']],
  'nothing-imports-the-portal': [['@client/screens.ts', '@portal/lib/money.ts', 'type']],
  'screens-stand-apart': [
    ['@portal/screens/keys/keys-screen.ts', '@portal/screens/me/own.ts', 'type'],
    ['@portal/screens/keys/key-dialogs.ts', '@portal/routes/router.tsx'],
  ],
  'devnet-stands-alone': [['@devnet/chain.ts', '@contract/portfolio.ts', 'type']],
  'beacon-devnet-stands-alone': [['@beacon-devnet/chain.ts', '@contract/portfolio.ts', 'type']],
  'fixtures-stand-alone': [['@solana-fixtures/save.ts', 'kinds/solana/families/save/family.ts', 'type']],
  'product-needs-no-devnet': [
    ['main.ts', '@devnet/devnet.ts'],
    ['bin/place.ts', '@solana-fixtures/drift.ts', 'type'],
    ['bin/validators.ts', '@beacon-devnet/beacon-devnet.ts', 'type'],
  ],
  'only-entry-points-compose': [['tools/serve.ts', 'context.ts', 'type']],
  'the-root-has-two-files': [['compose-access.ts', 'lib/retry.ts']],
  'modules-are-joined-by-the-context': [['features/wallet/account.ts', 'features/history/module.ts', 'type']],
}

/** What the house plan allows: no rule may report it. */
const ALLOWED: readonly Import[] = [
  ['main.ts', 'context.ts'],
  ['main.ts', 'config/config.ts'],
  ['bin/admin.ts', 'db/tables.ts'],
  ['context.ts', 'features/portfolio/module.ts'],
  ['features/modules.ts', 'features/portfolio/module.ts'],
  ['bin/admin.ts', 'features/portfolio/module.ts'],
  ['features/portfolio/module.ts', 'features/module.ts', 'type'],
  ['features/module.ts', 'http/mount.ts', 'type'],
  ['context.ts', 'http/app.ts'],
  ['config/chains.ts', 'kinds/chain-catalog.ts'],
  ['config/chains.ts', 'kinds/protocol-row.ts', 'type'],
  ['config/relays.ts', 'exchanges/exchange-list.ts'],
  ['config/config.ts', 'kinds/kinds.ts'],
  ['config/chains.test.ts', 'kinds/kinds.ts'],
  ['bin/input.ts', 'kinds/kinds.ts'],
  ['kinds/kinds.ts', 'kinds/evm/kind.ts'],
  ['features/validators/income.ts', 'kinds/execution-reading.ts', 'type'],
  ['domain/holding.ts', 'domain/decimal.ts'],
  // The way back of the planted cycle, which is reported once; beside it one that exists for types alone.
  ['domain/second.ts', 'domain/first.ts'],
  ['domain/mutual.ts', 'domain/mutual-types.ts'],
  ['domain/mutual-types.ts', 'domain/mutual.ts', 'type'],
  ['domain/decimal.test.ts', 'node:fs'],
  ['kinds/evm/reader/wave.ts', 'lib/retry.ts'],
  ['beacon/pool.ts', 'lib/fail-over.ts'],
  ['beacon/rewards.ts', 'domain/validator-epoch.ts', 'type'],
  ['features/validators/indexer.ts', 'beacon/pool.ts', 'type'],
  ['exchanges/kraken.ts', 'domain/decimal.ts'],
  ['features/wallet/account.ts', 'exchanges/exchange.ts', 'type'],
  ['kinds/evm/prices/aave.ts', 'kinds/evm/reader/wave.ts', 'type'],
  ['prices/sources/defillama.ts', 'lib/http-client.ts'],
  ['kinds/evm/prices/aave.ts', 'prices/graph.ts'],
  ['kinds/evm/reader/wave.ts', 'kinds/rpc/pool.ts'],
  ['kinds/evm/families/compound/family.ts', 'kinds/evm/reader/wave.ts', 'type'],
  ['kinds/evm/families/compound/family.ts', 'kinds/evm/families/compound/abi.ts'],
  ['kinds/evm/families/compound/family.ts', 'kinds/evm/families/each-alone.ts'],
  ['kinds/evm/families/compound/family.ts', 'kinds/evm/families/shared/v3-math.ts'],
  ['kinds/evm/families/families.ts', 'kinds/evm/families/compound/family.ts'],
  ['kinds/evm/families/compound/family.chain.test.ts', 'kinds/evm/reader/wave.ts'],
  ['kinds/evm/families/compound/family.chain.test.ts', '@devnet/devnet.ts'],
  ['kinds/solana/families/save/family.ts', 'kinds/solana/codec/mint.ts'],
  ['kinds/solana/families/save/family.test.ts', '@solana-fixtures/save.ts'],
  ['knowledge/tokens.ts', 'kinds/chain.ts', 'type'],
  ['knowledge/tokens.ts', 'db/tables.ts', 'type'],
  ['reading/refresh.ts', 'kinds/kind-reading.ts', 'type'],
  ['kinds/evm/collect/collect.ts', 'kinds/collect/price-read.ts'],
  ['kinds/evm/collect/collect.ts', 'prices/graph.ts', 'type'],
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

/** `domain/lot.ts` and `@contract/portfolio.ts` as paths in the tree; modules of others are themselves. */
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
  const planted = Object.entries(PLANTED)
  const reported = await violations([...planted.flatMap(([, imports]) => imports), ...ALLOWED])
  expect(reported.sort()).toEqual(
    planted.flatMap(([rule, imports]) => imports.map((one) => expected(rule, one))).sort(),
  )
})

test('every import rule is planted', () => {
  expect(Object.keys(PLANTED).sort()).toEqual(config.forbidden?.map(({ name }) => name).sort())
})
