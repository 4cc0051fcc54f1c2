import type { TokenRow } from '../src/catalog/token-catalog.ts'
import { chainTypes } from '../src/chains/chain-types.ts'
import { configFileSchema } from '../src/config/config-file.ts'
import { NATIVE } from '../src/domain/evm-address.ts'
import { NATIVE_SOL, WRAPPED_SOL } from '../src/domain/solana-address.ts'
import { gatherChains } from './chain-facts.ts'
import { gatherContractLabels } from './contract-labels.ts'
import { gatherExchanges } from './exchange-list.ts'
import { gatherFunctionNames } from './function-names.ts'
import { gatherIcons } from './icons.ts'
import { labelCoverage } from './label-coverage.ts'
import { gatherSolanaTokens } from './solana-token-list.ts'
import { gatherTokens } from './token-lists.ts'

/** One row per line, for readable diffs. */
function tokenFile(rows: readonly TokenRow[]): string {
  return `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`
}

/** By path. `generate.ts` writes them, a test compares them. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const chains = gatherChains()
  const tokens = gatherTokens(new Set(Object.values(chains).map((chain) => chain.chainId)))
  const named = new Map<string, { address: string; symbol: string; name?: string }[]>()
  const list = (key: string, rows: readonly TokenRow[], coins: { address: string; symbol: string }[]) => {
    if (rows.length > 0) files.set(`assets/tokens/${key}.json`, tokenFile(rows))
    named.set(key, [...coins, ...rows.map(([address, symbol, name]) => ({ address, symbol, name }))])
  }
  for (const [key, { chainId, native }] of Object.entries(chains)) {
    list(key, tokens.get(chainId) ?? [], [{ address: NATIVE, symbol: native.symbol }])
  }
  const sol = [NATIVE_SOL, WRAPPED_SOL].map((address) => ({ address, symbol: 'SOL' }))
  list('solana', gatherSolanaTokens(), sol)
  files.set('assets/chains.json', `${JSON.stringify(chains, null, 1)}\n`)
  files.set('assets/exchanges.json', gatherExchanges())
  const chainKeys = new Map(Object.entries(chains).map(([key, { chainId }]) => [chainId, key]))
  const labels = gatherContractLabels(chainKeys)
  files.set('assets/contract-labels.json', labels)
  files.set('../../docs/labels.md', labelCoverage(JSON.parse(labels)))
  files.set('assets/function-names.json', gatherFunctionNames())
  files.set('coffer-config.schema.json', `${JSON.stringify(configFileSchema(chainTypes), null, 2)}\n`)
  for (const [path, text] of gatherIcons(named)) files.set(`assets/${path}`, text)
  return files
}
