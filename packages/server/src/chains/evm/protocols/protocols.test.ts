import * as aaveBook from '@aave-dao/aave-address-book'
import { encodePacked, getContractAddress, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { NATIVE } from '../../../domain/evm-address.ts'
import { findAsset } from '../../../lib/asset.ts'
import { chainRows } from '../chain-rows.ts'
import { bridgeRows, exchangeRows } from '../decode/contract-directory.ts'
import { PUBLISHED_FEEDS } from '../prices/chainlink-feed.ts'
import { coreAssets } from './deployment.ts'
import { bindProtocol, protocolAdapters, protocolRows } from './protocols.ts'

const CHAINS = {
  arbitrum: 42161,
  avalanche: 43114,
  base: 8453,
  binance: 56,
  ethereum: 1,
  fantom: 250,
  gnosis: 100,
  linea: 59144,
  optimism: 10,
  polygon: 137,
} as const

/** Source: `addresses` of `balancer/balancer-deployments`, tasks `managed-pool`. Their pools' managers state balances. */
const MANAGED_POOL_FACTORIES: Readonly<Record<string, readonly string[]>> = {
  arbitrum: ['0x8ea89804145c007e7d226001a96955ad53836087', '0x956ccab09898c0af2aca5e6c229c3ad4e93d9288'],
  avalanche: ['0x03f3fb107e74f2eac9358862e91ad3c692712054'],
  base: ['0x9a62c91626d39d0216b3959112f9d4678e20134d'],
  binance: ['0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4'],
  ethereum: ['0x9ac3e70db606659bf32d4bdfbb687ad193fd1f5b', '0xbf904f9f340745b4f0c4702c7b6ab1e808ea6b93'],
  fraxtal: ['0x7a2535f5fb47b8e44c02ef5d9990588313fe8f05'],
  gnosis: ['0xdf9b5b00ef9bca66e9902bd813db14e4343be025'],
  mode: ['0x043a2dad730d585c44fb79d2614f295d2d625412'],
  optimism: ['0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4', '0x956ccab09898c0af2aca5e6c229c3ad4e93d9288'],
  polygon: ['0x9ac3e70db606659bf32d4bdfbb687ad193fd1f5b', '0xb8dfa4fd0f083de2b7edc0d5eed5e684e54ba45d'],
  polygon_zkevm: ['0xaf779e58dafb4307b998c7b3c9d3f788dfc80632'],
}

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}
type RatedRow = { token: string; underlying?: string; label: string; market?: boolean }
const rowsOf = (family: string) => protocolRows.filter((row) => row.family === family)
const ratedRows = () =>
  rowsOf('rate_tokens').flatMap(({ chain, key, deployment }) =>
    (deployment['tokens'] as RatedRow[]).map((token) => ({ chain, key, ...token })),
  )

function listedDecimals(chain: string): ReadonlyMap<string, number> {
  const listed = JSON.parse(findAsset(`tokens/${chain}.json`) ?? '[]') as [string, string, string, number][]
  return new Map(listed.map(([address, , , digits]) => [address, digits]))
}

describe('the catalog', () => {
  it.each(protocolRows.map((row) => [`${row.key} on ${row.chain}`, row] as const))('binds %s', (_, row) => {
    expect(bindProtocol(row)).toMatchObject({ key: row.key, chain: row.chain, name: row.name })
  })

  it('names rows in storage by what an index of the database takes, each on its chain by another name', () => {
    const names = protocolRows.map((row) => `${row.chain} ${bindProtocol(row).id}`)
    expect(new Set(names).size).toBe(names.length)
    expect(Math.max(...names.map((name) => name.length))).toBeLessThan(100)
    // printf '%s' '{"stEth":"0xae7a…","wstEth":"0x7f39…","withdrawalQueue":"0x889e…"}' | sha256sum | head -c 32
    expect(names).toContain('ethereum lido a326ff4d9f00d252bb8f6aa6fa958c5b')
  })

  it.each(Object.entries(MANAGED_POOL_FACTORIES))('no factory of managed pools vouches on %s', (chain, factories) => {
    const named = rowsOf('balancer').flatMap((row) => (row.chain === chain ? strings(row.deployment) : []))
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((address) => factories.includes(address.toLowerCase()))).toEqual([])
  })

  it('looks for entry points on every chain', () => {
    expect(rowsOf('entry_points').map(({ chain }) => chain)).toEqual(chainRows.map(({ key }) => key))
  })

  it('has no zero address in any table: it is the other side of every mint', () => {
    const feeds = PUBLISHED_FEEDS.flatMap(({ path }) => path)
    const tables = { protocolRows, bridgeRows, exchangeRows, coreAssets, chainRows, feeds }
    for (const [name, table] of Object.entries(tables)) expect(strings(table), name).not.toContain(NATIVE)
    for (const { key } of chainRows) expect(findAsset(`tokens/${key}.json`) ?? '', key).not.toContain(NATIVE)
  })

  it.each([
    ['apeswap', 2_000],
    ['biswap', 2_000],
    ['spookyswap', 2_000],
    ['pancakeswap_v2', 2_500],
    ['uniswap_v2', undefined],
  ])('knows what pairs of %s keep of a swap', (key, feeMillionths) => {
    const rows = protocolRows.filter((row) => row.key === key)
    expect(rows.length).toBeGreaterThan(0)
    for (const { deployment } of rows)
      expect((deployment as { feeMillionths?: number }).feeMillionths).toBe(feeMillionths)
  })

  it('names a protocol once a chain, in snake_case, with one name on all chains', () => {
    const chains = chainRows.map(({ key }) => key)
    const ids = protocolRows.map(({ chain, key }) => `${chain} ${key}`)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { key, chain } of protocolRows) {
      expect(key).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
      expect(chains).toContain(chain)
    }
    const names = Map.groupBy(protocolRows, ({ key }) => key)
    for (const rows of names.values()) expect(new Set(rows.map(({ name }) => name)).size).toBe(1)
  })

  it('writes addresses in lower case, whole', () => {
    for (const value of protocolRows.flatMap(({ deployment }) => strings(deployment)).filter((s) => s.startsWith('0x')))
      expect(value).toMatch(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
  })

  it('lists no vault, market or factory twice on a chain', () => {
    // A chef stakes the NFTs of another deployment's manager.
    const rootsOf = ({ deployment: d }: (typeof protocolRows)[number]) =>
      'chef' in d ? [d['chef']] : [d['comptroller'], d['factory'], d['manager']]
    const roots = protocolRows.flatMap((row) =>
      [...rootsOf(row), ...['markets', 'vaults', 'pools'].flatMap((list) => strings(row.deployment[list]))]
        .filter((value) => typeof value === 'string' && value.startsWith('0x'))
        .map((value) => `${row.chain} ${value}`),
    )
    // One incentives controller serves several Aave markets of a chain.
    const shared = ['0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb', '0xd784927ff2f95ba542bfc824c8a8a98f3495f6b5']
    const own = roots.filter((root) => !shared.some((address) => root.endsWith(address)))
    expect(own.filter((root, i) => own.indexOf(root) !== i)).toEqual([])
  })

  it('names no token in two families of a chain', () => {
    const named = protocolRows.flatMap(({ chain, family, deployment: d }) => {
      const rated = ((d['tokens'] ?? []) as unknown[]).flatMap((token) =>
        family === 'rate_tokens' ? (token as { token: string }).token : [],
      )
      const others = ['vaults', 'stakes', 'stEth', 'wstEth', 'vault'].flatMap((list) => strings(d[list] ?? []))
      return [...rated, ...strings(others)].map((token) => `${chain} ${token}`)
    })
    expect(named.filter((token, i) => named.indexOf(token) !== i)).toEqual([])
  })

  it('lets a market price the rate tokens that it knows', () => {
    const fed = new Set(PUBLISHED_FEEDS.map(({ chain, token }) => `${chain} ${token.toLowerCase()}`))
    for (const { chain, key, token, label, market = false } of ratedRows())
      expect(fed.has(`${chain} ${token}`), `${key} ${label} on ${chain}`).toBe(market)
  })

  it('states rates between tokens of the same decimals', () => {
    const both = ratedRows().map(({ chain, label, token, underlying }) => {
      const decimals = listedDecimals(chain)
      return { at: `${label} on ${chain}`, own: decimals.get(token), other: underlying ? decimals.get(underlying) : 18 }
    })
    const listed = both.filter(({ own, other }) => own !== undefined && other !== undefined)
    expect(listed.length).toBeGreaterThan(30)
    for (const { at, own, other } of listed) expect(own, at).toBe(other)
  })

  it('serves all ten chains and uses every family', () => {
    for (const chain of Object.keys(CHAINS)) expect(protocolRows.some((row) => row.chain === chain)).toBe(true)
    for (const family of protocolAdapters.keys()) expect(rowsOf(family).length).toBeGreaterThan(0)
  })
})

describe('Aave rows against the published address book', () => {
  type Book = {
    CHAIN_ID: number
    POOL: string
    AAVE_PROTOCOL_DATA_PROVIDER: string
    DEFAULT_INCENTIVES_CONTROLLER?: string
    ASSETS: Record<string, { STATA_TOKEN?: string; STATIC_A_TOKEN?: string }>
  }
  const books = Object.entries(aaveBook).filter(([name]) => /^AaveV[23]/.test(name)) as unknown as [string, Book][]
  const published = (version: 'v2' | 'v3', chainId: number) =>
    books.filter(
      ([name, directory]) => name.startsWith(`Aave${version.toUpperCase()}`) && directory.CHAIN_ID === chainId,
    )
  const lower = (value: string | undefined) => value?.toLowerCase()

  it.each(['v2', 'v3'] as const)('has every market of %s on the ten chains, as published', (version) => {
    for (const [chain, chainId] of Object.entries(CHAINS)) {
      const expected = published(version, chainId).map(([, directory]) => ({
        pool: lower(directory.POOL),
        dataProvider: lower(directory.AAVE_PROTOCOL_DATA_PROVIDER),
        incentives: lower(directory.DEFAULT_INCENTIVES_CONTROLLER),
      }))
      const row = protocolRows.find((candidate) => candidate.key === `aave_${version}` && candidate.chain === chain)
      const markets = (row?.deployment['markets'] ?? []) as {
        pool: string
        dataProvider: string
        incentives?: string
      }[]
      const ours = markets.map(({ pool, dataProvider, incentives }) => ({ pool, dataProvider, incentives }))
      const byPool = (a: { pool?: string | undefined }, b: { pool?: string | undefined }) =>
        String(a.pool).localeCompare(String(b.pool))
      expect(ours.toSorted(byPool), `${version} on ${chain}`).toEqual(expected.toSorted(byPool))
    }
  })

  it('has every wrapped aToken that is published, of both kinds', () => {
    for (const [chain, chainId] of Object.entries(CHAINS)) {
      const expected = published('v3', chainId)
        .flatMap(([, { ASSETS }]) =>
          Object.values(ASSETS).flatMap((asset) => [lower(asset.STATA_TOKEN), lower(asset.STATIC_A_TOKEN)]),
        )
        .filter((address) => address !== undefined && BigInt(address) > 0n)
      const row = protocolRows.find((candidate) => candidate.key === 'aave_v3_stata' && candidate.chain === chain)
      expect(new Set(strings(row?.deployment['vaults'])), chain).toEqual(new Set(expected))
    }
  })
})

/** Pairs on the real chains, according to explorers and the protocols' own pages. */
const KNOWN_PAIRS = [
  ['uniswap_v2', 'ethereum', 'WETH/USDC', '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'],
  ['uniswap_v2', 'base', 'WETH/USDC', '0x88a43bbdf9d098eec7bceda4e2494615dfd9bb9c'],
  ['sushiswap', 'ethereum', 'WETH/USDC', '0x397ff1542f962076d0bfe58ea045ffa2d347aca0'],
  ['sushiswap', 'polygon', 'WPOL/USDC.e', '0xcd353f79d9fade311fc3119b841e1f456b54e858'],
  ['pancakeswap_v2', 'binance', 'WBNB/USDT', '0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae'],
  ['pancakeswap_v2', 'ethereum', 'WETH/USDC', '0x2e8135be71230c6b1b4045696d41c09db0414226'],
  ['quickswap', 'polygon', 'WPOL/USDC.e', '0x6e7a5fafcec6bb1e78bae2a1f0b612012bf14827'],
  ['camelot_v2', 'arbitrum', 'WETH/USDC.e', '0x84652bb2539513baf36e225c930fdd8eaa63ce27'],
  ['trader_joe', 'avalanche', 'WAVAX/USDC.e', '0xa389f9430876455c36478deea9769b7ca4e3ddb1'],
  ['pangolin', 'avalanche', 'WAVAX/USDC.e', '0xbd918ed441767fe7924e99f6a0e0b568ac1970d9'],
  ['apeswap', 'binance', 'WBNB/BUSD', '0x51e6d27fa57373d8d4c256231241053a70cb1d93'],
  ['biswap', 'binance', 'WBNB/USDT', '0x8840c6252e2e86e545defb6da98b2a0e26d8c1ba'],
  ['spookyswap', 'fantom', 'WFTM/USDC', '0x2b4c76d0dc16be1c31d4c1dc53bf9b45987fc75c'],
  ['spiritswap', 'fantom', 'WFTM/USDC', '0xe7e90f5a767406eff87fdad7eb07ef407922ec1d'],
  ['honeyswap', 'gnosis', 'WXDAI/HNY', '0x4505b262dc053998c10685dc5f9098af8ae5c8ad'],
] as const

describe('Uniswap v2 rows', () => {
  it.each(KNOWN_PAIRS)('%s on %s leads to %s at %s', (key, chain, _, address) => {
    const row = protocolRows.find((candidate) => candidate.key === key && candidate.chain === chain)
    if (!row) throw new Error(`no row for ${key} on ${chain}`)
    type Hex = `0x${string}`
    const { factory, initCodeHash, tokens } = row.deployment as { factory: Hex; initCodeHash: Hex; tokens: Hex[] }
    const pairs = tokens.toSorted().flatMap((a, i, sorted) =>
      sorted.slice(i + 1).map((b) => {
        const salt = keccak256(encodePacked(['address', 'address'], [a, b]))
        return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: initCodeHash }).toLowerCase()
      }),
    )
    expect(pairs).toContain(address)
  })
})
