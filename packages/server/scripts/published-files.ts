import type { TokenRow } from '../src/chains/tokens.ts'
import { configFileSchema } from '../src/config/config-file.ts'
import { NATIVE } from '../src/domain/evm-address.ts'
import { gatherChains } from './chain-facts.ts'
import { gatherExchanges } from './exchange-list.ts'
import { gatherFunctionNames } from './function-names.ts'
import { gatherIcons } from './icons.ts'
import { gatherTokens } from './token-lists.ts'

/** One row a line, so that a renewal shows which tokens changed. */
function tokenFile(rows: readonly TokenRow[]): string {
  return `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`
}

/** Every generated file of this package, by path: written by `generate.ts`, compared with the tree by its test. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const chains = gatherChains()
  const tokens = gatherTokens(new Set(Object.values(chains).map((chain) => chain.chainId)))
  const named = new Map<string, { address: string; symbol: string }[]>()
  for (const [key, { chainId, native }] of Object.entries(chains)) {
    const rows = tokens.get(chainId) ?? []
    if (rows.length > 0) files.set(`assets/tokens/${key}.json`, tokenFile(rows))
    const listed = rows.map(([address, symbol]) => ({ address, symbol }))
    named.set(key, [{ address: NATIVE, symbol: native.symbol }, ...listed])
  }
  files.set('assets/chains.json', `${JSON.stringify(chains, null, 1)}\n`)
  files.set('assets/exchanges.json', gatherExchanges())
  files.set('assets/function-names.json', gatherFunctionNames())
  files.set('coffer-config.schema.json', `${JSON.stringify(configFileSchema(), null, 2)}\n`)
  for (const [path, text] of gatherIcons(named)) files.set(`assets/${path}`, text)
  return files
}
