import { expect, test } from 'vitest'
import { NotFoundYet } from '../../../domain/not-found-yet.ts'
import type { Position } from '../../../domain/position.ts'
import type { WalletRead } from '../../../domain/wallet-read.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import {
  type HeldContract,
  isVouched,
  type ProtocolAdapter,
  type ProtocolContract,
  type ProtocolDeployment,
} from '../protocols/adapter.ts'
import type { EvmReader, Scan } from '../reader/evm-reader.ts'
import { type PositionScope, type Probed, readPositions } from './read-positions.ts'
import type { FoundKeys } from './wallet-keys.ts'

const NO_KEYS: FoundKeys = { keys: [], cut: new Set() }

const wallet = '0x00000000000000000000000000000000000000ff'
const receipt = '0x00000000000000000000000000000000000000a1'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const quiet = { warn: () => {} } as never

const position = (protocol: string, amountRaw: bigint): Position => ({
  protocol,
  chain: 'ethereum',
  kind: 'lending',
  label: 'Core',
  supplied: [{ token: usdc, amountRaw }],
  borrowed: [],
  rewards: [],
  receipts: [receipt],
})

/** `positions`: the adapter's positions for held protocol contracts. */
const deployment = (
  key: string,
  positions: (held: readonly HeldContract[]) => Position[],
  adapter: Partial<ProtocolAdapter<unknown>> = {},
) =>
  ({
    key,
    chain: 'ethereum',
    adapter,
    keyLogs: [],
    positions: async (_reader, _wallet, { held }) => positions(held),
  }) as Partial<ProtocolDeployment> as ProtocolDeployment
const other = '0x00000000000000000000000000000000000000a2'
const protocolContracts: ProtocolContract[] = [
  { address: receipt, role: 'supply', fungible: true, underlyings: [usdc] },
]

const before = { positions: [position('aave_v3', 7n), position('lido', 3n)] } as WalletRead
const scan = (balances: (readonly [`0x${string}`, bigint])[], failed: `0x${string}`[] = []) => ({
  nativeRaw: 0n,
  balances: new Map(balances),
  failed: new Set(failed),
})

const NOT_PROBED: Probed = { found: new Set(), failed: new Map() }

type Options = Partial<PositionScope> & {
  balances?: (readonly [`0x${string}`, bigint])[]
  failed?: `0x${string}`[]
  contracts?: ProtocolContract[] | undefined
}

function readAll(deployments: ProtocolDeployment[], options: Options) {
  const { balances = [[receipt, 5n]], failed, ...scope } = options
  const known = 'contracts' in options ? options.contracts : protocolContracts
  const rows = deployments.map((item) => ({ deployment: item, protocolContracts: known }))
  return readPositions(rows, {
    ...{ reader: {} as EvmReader, wallet, scan: scan(balances, failed), probed: NOT_PROBED, keys: NO_KEYS },
    ...{ further: new Map(), before, isTrusted: () => true, log: quiet, ...scope },
  })
}

async function read(deployments: ProtocolDeployment[], options: Options = {}) {
  const { positions, gaps } = await readAll(deployments, options)
  return { positions, gaps }
}
const held = (key: string) => deployment(key, (items) => items.map((item) => position(key, item.balanceRaw)))
const broken = (key: string, error: Error, adapter: Partial<ProtocolAdapter<unknown>> = {}) => ({
  ...deployment(key, () => [], adapter),
  positions: () => Promise.reject(error),
})

test('a protocol without holdings of the wallet is not asked, unless it reads every wallet', async () => {
  const owed = deployment('compound_v2', () => [position('compound_v2', 1n)], { readsEveryWallet: true })
  const found = await read([broken('aave_v3', new Error('asked')), owed], { balances: [] })
  expect(found).toEqual({ positions: [position('compound_v2', 1n)], gaps: [] })
})

test('a protocol that fails keeps its last positions, marked, and fails no other one', async () => {
  const found = await read([broken('aave_v3', new Error('reverted')), held('lido')])
  expect(found.positions).toEqual([position('aave_v3', 7n), position('lido', 5n)])
  expect(found.gaps).toEqual([{ protocol: 'aave_v3', reason: 'stale' }])
})

test('a protocol that fails and was never read is missing, and says so', async () => {
  const found = await read([broken('aave_v3', new Error('reverted'))], { before: undefined })
  expect(found).toEqual({ positions: [], gaps: [{ protocol: 'aave_v3', reason: 'unreadable' }] })
})

test('a balance that could not be read is not taken as nothing', async () => {
  const found = await read([held('aave_v3')], { balances: [], failed: [receipt] })
  expect(found).toEqual({ positions: [position('aave_v3', 7n)], gaps: [{ protocol: 'aave_v3', reason: 'stale' }] })
})

test('what a probe alone found is held with a balance of zero; a probe that failed is not taken as nothing', async () => {
  const reward = deployment('aave_v3', (items) => items.map((item) => position('aave_v3', item.balanceRaw + 9n)))
  const found = await read([reward], { balances: [], probed: { ...NOT_PROBED, found: new Set([receipt]) } })
  expect(found).toEqual({ positions: [position('aave_v3', 9n)], gaps: [] })
  const failed = { ...NOT_PROBED, failed: new Map([[receipt, new Error('reverted')] as const]) }
  const kept = { positions: [position('aave_v3', 7n)], gaps: [{ protocol: 'aave_v3', reason: 'stale' }] }
  expect(await read([reward], { balances: [], probed: failed })).toEqual(kept)
  expect(await read([reward], { probed: failed })).toEqual(kept)
  const past = { before: undefined, balances: [], isWhole: async () => false }
  const gap = { positions: [], gaps: [{ protocol: 'aave_v3', reason: 'unreadable' }] }
  expect(await read([reward], { ...past, probed: failed })).toEqual(gap)
})

test('a row is read where logs gave the wallet a key of its contracts, and of no others', async () => {
  const logs = { contract: receipt, topic: '0xaa', walletAt: 2, keyAt: 3 } as const
  const keyed = (adapter: { provesKeys?: true }): ProtocolDeployment => ({
    ...deployment('aave_v3', () => [], adapter),
    keyLogs: [logs],
    positions: async (_reader, _wallet, { keys }) => keys.map(({ key }) => position('aave_v3', key)),
  })
  const foundKeys = (cut: `0x${string}`[] = []): FoundKeys => ({
    keys: [
      { contract: receipt, key: 4n },
      { contract: other, key: 5n },
    ],
    cut: new Set(cut),
  })
  const found = { positions: [position('aave_v3', 4n)], gaps: [] }
  const without = { balances: [], before: undefined }
  expect(await read([keyed({})], { ...without, keys: foundKeys([other]) })).toEqual(found)
  expect(await read([keyed({})], without)).toEqual({ positions: [], gaps: [] })
  const gaps = [{ protocol: 'aave_v3', reason: 'unreadable' }]
  expect(await read([keyed({})], { ...without, keys: foundKeys([receipt]) })).toEqual({ ...found, gaps })
  // Such an adapter checks itself that nothing is missing.
  expect(await read([keyed({ provesKeys: true })], { ...without, keys: foundKeys([receipt]) })).toEqual(found)
})

test('what no log has named yet is said to be searched for', async () => {
  const lacking: ProtocolDeployment = {
    ...deployment('aave_v3', () => [], { provesKeys: true }),
    positions: async (_reader, _wallet, { leftOut }) => {
      leftOut(new NotFoundYet('of 2 NFTs 1 was found'))
      return []
    },
  }
  const gaps = [{ protocol: 'aave_v3', reason: 'searching' }]
  expect(await read([lacking])).toEqual({ positions: [], gaps })
  // Too many position IDs to read them all: it will not be found.
  const logs = { contract: receipt, topic: '0xaa', walletAt: 2, keyAt: 3 } as const
  const flooded = { ...lacking, keyLogs: [logs] }
  const unreadable = [{ protocol: 'aave_v3', reason: 'unreadable' }]
  const keys: FoundKeys = { keys: [], cut: new Set([receipt]) }
  expect(await read([flooded], { keys })).toEqual({ positions: [], gaps: unreadable })
})

test('a protocol whose contracts could not be listed is not taken as nothing', async () => {
  const found = await read([held('aave_v3')], { contracts: undefined, before: undefined })
  expect(found.gaps).toEqual([{ protocol: 'aave_v3', reason: 'unreadable' }])
})

test('what a node does not allow concerns the protocol alone; a node that fails fails the read', async () => {
  const refused = await read([broken('uniswap_v3', new UpstreamError('not-allowed', 'no lens here')), held('lido')])
  expect(refused.gaps).toEqual([{ protocol: 'uniswap_v3', reason: 'not-allowed' }])
  await expect(read([broken('aave_v3', new UpstreamError('timeout', 'late'))])).rejects.toThrow('late')
})

test('of the past: who has nothing in a protocol that was not all there yet misses nothing', async () => {
  const unborn = broken('aave_v3', new Error('no such contract'), { readsEveryWallet: true })
  const gap = { positions: [], gaps: [{ protocol: 'aave_v3', reason: 'unreadable' }] }
  const now = { before: undefined, balances: [] }
  const past = { ...now, isWhole: async () => false }
  expect(await read([unborn], past)).toEqual({ positions: [], gaps: [] })
  expect(await read([unborn], { ...past, isWhole: async () => true })).toEqual(gap)
  expect(await read([unborn], { ...past, balances: [[receipt, 5n]] })).toEqual(gap)
  expect(await read([unborn], { ...past, failed: [receipt] })).toEqual(gap)
  expect(await read([unborn], { ...past, contracts: undefined })).toEqual(gap)
  expect(await read([unborn], now)).toEqual(gap)
})

/** Every protocol contract is a position; `refusing` cannot be read. */
const alone = (refusing: string, isNamed: boolean, adapter: { eachAlone?: true } = { eachAlone: true }) =>
  ({
    ...deployment('uniswap_v2', () => [], { ...adapter, vouches: () => isNamed }),
    positions: async (_reader, _wallet, { held: items, leftOut }) =>
      items.flatMap((item) => {
        if (item.address !== refusing) return [{ ...position('uniswap_v2', item.balanceRaw), pool: item.address }]
        leftOut(new Error('reverted'), item)
        return []
      }),
  }) as Partial<ProtocolDeployment> as ProtocolDeployment

async function readAlone(deployment: ProtocolDeployment, options: Options) {
  const refused: string[] = []
  const balances = [[receipt, 5n] as const, ...(options.failed ? [] : [[other, 6n] as const])]
  const pair: ProtocolContract = { address: other, role: 'pair', fungible: true, underlyings: [] }
  const found = await readAll([deployment], {
    ...{ contracts: [...protocolContracts, pair], balances, isTrusted: isVouched, ...options },
    refused: (_deployment, { address }) => void refused.push(address),
  })
  return { ...found, refused }
}

const first = { ...position('uniswap_v2', 5n), pool: receipt } as Position
const second = { ...position('uniswap_v2', 6n), pool: other } as Position
const missing = [{ protocol: 'uniswap_v2', reason: 'unreadable' }]

test('a contract that refuses is left out alone; an untrusted one is counted and leaves no gap', async () => {
  const before = { positions: [second] } as WalletRead
  const found = await readAlone(alone(other, false), { before })
  expect(found).toEqual({ positions: [first], gaps: [], unreported: new Set([other]), refused: [other] })
  const known = await readAlone(alone(other, true), { before })
  expect(known).toEqual({
    positions: [first, second],
    gaps: [{ protocol: 'uniswap_v2', reason: 'stale' }],
    unreported: new Set(),
    refused: [],
  })
})

test('an untrusted contract that reports no balance leaves no gap, one that a row names does', async () => {
  const before = { positions: [second] } as WalletRead
  const lost = await readAlone(alone('', false), { failed: [other], before })
  expect(lost).toMatchObject({ positions: [first], gaps: [], refused: [other] })
  const together = alone('', false, {})
  expect(await readAlone(together, { failed: [other], before })).toMatchObject({ positions: [first], gaps: [] })
  expect((await readAlone(alone('', true), { failed: [other], before: undefined })).gaps).toEqual(missing)
})

test('what lies at further owners is given to their row; what is not known of them is said', async () => {
  const owner = '0x0000000000000000000000000000000000000aaa'
  const row = deployment('euler_v2', () => [])
  const counted: ProtocolDeployment = {
    ...row,
    positions: async (_reader, _wallet, { further = [] }) =>
      further.flatMap(({ held: there }) => there.map(({ balanceRaw }) => position('euler_v2', balanceRaw))),
  }
  const readAt = (there: Scan, cut = false) => {
    const further = new Map([[counted, { owners: [{ address: owner, scan: there } as const], cut }]])
    return read([counted], { before: undefined, further })
  }
  const gaps = [{ protocol: 'euler_v2', reason: 'unreadable' }]
  expect(await readAt(scan([[receipt, 3n]]))).toEqual({ positions: [position('euler_v2', 3n)], gaps: [] })
  expect(await readAt(scan([], [receipt]))).toEqual({ positions: [], gaps })
  expect(await readAt(scan([[receipt, 3n]]), true)).toEqual({ positions: [position('euler_v2', 3n)], gaps })
})
