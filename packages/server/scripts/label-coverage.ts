import { createTokenCatalog } from '../src/catalog/token-catalog.ts'
import { chains } from '../src/chains/chain-types.ts'
import { bridgeRows, exchangeRows } from '../src/chains/evm/decode/contract-directory.ts'
import { bindProtocol, protocolRows } from '../src/chains/evm/protocols/protocols.ts'
import { type EvmAddress, NATIVE } from '../src/domain/evm-address.ts'

type Labels = { protocols: Record<string, string>; chains: Record<string, Record<string, readonly [string, string]>> }
/** Sources in order of precedence. */
const SOURCES = ['rows', 'routers', 'bridges', 'lists', 'deployments'] as const
type Source = (typeof SOURCES)[number]
type Named = { chain: string; protocol: string; source: Source }

const MOST_CHAINS = 6

/** Text of `docs/labels.md`: contracts named without a node. */
export function labelCoverage(labels: Labels): string {
  const named = chains.filter(({ family }) => family === 'evm').flatMap(({ key }) => namedOn(key, labels))
  const byChain = [...Map.groupBy(named, ({ chain }) => chain)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const names = namesOf(labels)
  const byProtocol = [...Map.groupBy(named, ({ protocol }) => names.get(protocol) ?? protocol)]
  const protocols = byProtocol.toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return `# Contracts that have a name

\`npm run generate\` writes this page. It counts contracts whose protocol is known without a node, by the first [source](history.md#where-names-of-protocols-come-from) that names them. Pools, vaults and markets that nodes list come on top.

## By chain

| chain | protocols | ${SOURCES.join(' | ')} | all |
|---|---|${'---|'.repeat(SOURCES.length + 1)}
${byChain.map(([chain, own]) => line([chain, new Set(own.map(({ protocol }) => protocol)).size, ...countsOf(own)])).join('\n')}
${line(['all', byProtocol.length, ...countsOf(named)])}

## By protocol

| protocol | chains | ${SOURCES.join(' | ')} | all |
|---|---|${'---|'.repeat(SOURCES.length + 1)}
${protocols.map(([name, own]) => line([name, chainsIn(own), ...countsOf(own)])).join('\n')}
`
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`

function countsOf(named: readonly Named[]): (number | string)[] {
  const counts = SOURCES.map((source) => named.filter((one) => one.source === source).length)
  return [...counts.map((count) => count || ''), named.length]
}

function chainsIn(named: readonly Named[]): string {
  const keys = [...new Set(named.map(({ chain }) => chain))]
  return keys.length > MOST_CHAINS ? `${keys.length} chains` : keys.join(', ')
}

function namesOf({ protocols }: Labels): ReadonlyMap<string, string> {
  const rows = [...bridgeRows, ...protocolRows].map(({ key, name }) => [key, name] as const)
  return new Map([...Object.entries(protocols), ...rows])
}

const tokens = createTokenCatalog({ chains, configTokens: [] })

function namedOn(chain: string, labels: Labels): Named[] {
  const deployments = protocolRows.filter((row) => row.chain === chain).map(bindProtocol)
  const isToken = (address: EvmAddress) => address === NATIVE || tokens.find(chain, address) !== undefined
  const found: Record<Source, readonly (readonly [address: string, protocol: string])[]> = {
    rows: deployments.flatMap(({ key, history: { contracts = [], rewarders = [] } }) =>
      [...contracts, ...rewarders].map((address) => [address, key] as const),
    ),
    routers: exchangeRows.flatMap(({ key, routers }) =>
      (routers[chain] ?? []).map((address) => [address, key] as const),
    ),
    bridges: bridgeRows.flatMap(({ key, contracts }) =>
      (contracts[chain] ?? []).map((address) => [address, key] as const),
    ),
    lists: Object.entries(labels.chains[chain] ?? {}).map(([address, [protocol]]) => [address, protocol] as const),
    deployments: deployments.flatMap(({ key, contracts }) =>
      contracts.filter((address) => !isToken(address)).map((address) => [address, key] as const),
    ),
  }
  const byAddress = new Map<string, Named>()
  for (const source of SOURCES) {
    for (const [address, protocol] of found[source]) {
      if (!byAddress.has(address)) byAddress.set(address, { chain, protocol, source })
    }
  }
  return [...byAddress.values()]
}
