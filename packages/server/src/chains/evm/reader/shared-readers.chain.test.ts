import { erc20Abi, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { localChain } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import { seededRandom } from '../../../../test/random.ts'
import type { RpcCall } from '../../../../test/rpc-proxy.ts'
import { type Placed, placeContracts, testAddress } from '../../../../test/test-tokens.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createBatchQueue } from './batch-queue.ts'
import { createEvmReader } from './create-evm-reader.ts'
import type { EvmReader, Scan } from './evm-reader.ts'
import { createSharedReaders } from './shared-readers.ts'

const WALLETS = 20
const LISTED = 150
/** Per wallet. */
const OWN = 3

const random = seededRandom('shared readers')
const wallets = Array.from({ length: WALLETS }, (_, i) => testAddress(21, i + 1))
const listed = Array.from({ length: LISTED }, (_, i) => testAddress(22, i + 1))
const ownOf = (wallet: number) => Array.from({ length: OWN }, (_, i) => testAddress(23, wallet * OWN + i + 1))
const common = testAddress(24, 1)
/** A local node's initial account. */
const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const limits = { timeoutMs: 10_000, totalMs: 40_000, backoffMs: 1 }

const { node, proxy } = await nodeBehindProxy()
/** Received amounts of each wallet, by token. */
const given = wallets.map(() => new Map<string, bigint>())

/** One in fifty listed tokens reverts, and one burns its gas. One wallet in ten holds each of the rest. */
function listedTokens(): Placed[] {
  return listed.map((address, i): Placed => {
    if (i % 50 === 1) return { address, code: 'reverting' }
    if (i % 50 === 2) return { address, code: 'burning' }
    return { address, code: 'token', balances: giveTo(address) }
  })
}

function giveTo(token: Placed['address']): [Placed['address'], bigint][] {
  return wallets.flatMap((wallet, i) => {
    if (random.index(10) > 0) return []
    const raw = random.amount(1n, 10n ** 30n)
    given[i]?.set(token, raw)
    return [[wallet, raw] as [Placed['address'], bigint]]
  })
}

const own = wallets.flatMap((wallet, i) =>
  ownOf(i).map((address): Placed => {
    given[i]?.set(address, BigInt(i + 1))
    return { address, code: 'token', balances: [[wallet, BigInt(i + 1)]] }
  }),
)
const shared: Placed = { address: common, code: 'token', balances: wallets.map((wallet, i) => [wallet, BigInt(i)]) }
await placeContracts(node, [...listedTokens(), ...own, shared])
await node.sendAll([
  ...wallets.map((wallet, i): [string, ...unknown[]] => ['anvil_setBalance', wallet, `0x${(i + 7).toString(16)}`]),
  ['anvil_mine', '0x10'],
])

function opened() {
  const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits })
  return createSharedReaders({
    createBatchQueue: (_, at) => createBatchQueue({ pool, chain: localChain, at }),
    openReader: (_, plan, at, batches) => createEvmReader({ pool, chain: localChain, plan, batches, at }),
  })
}

/** A scan and a dependent read, like a wallet's read. */
async function read(reader: EvmReader, wallet: number) {
  const owner = wallets[wallet] ?? common
  const scan = await reader.scan(owner, listed, ownOf(wallet))
  const after = await reader.read({ address: common, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return { scan, after, header: await reader.header(), plan: reader.plan() }
}

function readAll(at?: bigint) {
  const announce = opened()
  const readers = wallets.map(() => announce('ethereum', at))
  return Promise.all(readers.map((reader, i) => read(reader.open([]), i)))
}

function expectRight({ scan, after }: { scan: Scan; after: bigint }, wallet: number): void {
  const refusing = listed.filter((_, i) => i % 50 === 1 || i % 50 === 2)
  expect(scan).toEqual({ nativeRaw: BigInt(wallet + 7), balances: new Map(given[wallet]), failed: new Set(refusing) })
  expect(after).toBe(BigInt(wallet))
}

const calls = () => proxy.calls().filter(({ method }) => method === 'eth_call')
const hasList = (call: RpcCall) => JSON.stringify(call).includes((listed[0] ?? '').slice(2))
/** Calls of the second batch, without the remainder of the first. */
const isLater = (call: RpcCall) => call.method === 'eth_call' && call.params[1] !== 'latest' && !hasList(call)

test('twenty wallets are read in two calls, in which the list of tokens is once', async () => {
  const found = await readAll()
  for (const [i, one] of found.entries()) expectRight(one, i)
  expect(new Set(found.map(({ header }) => header.hash)).size).toBe(1)
  const texts = calls().map((call) => JSON.stringify(call))
  expect(texts.map((text) => text.split((listed[0] ?? '').slice(2)).length - 1)).toEqual([1, 0])
  // Each request includes a block header.
  expect(proxy.requests()).toBe(2)
  // Each has its own later calls only.
  expect(found.map(({ plan }) => plan.map(({ data }) => data.slice(-40)))).toEqual(
    wallets.map((wallet) => [wallet.slice(2)]),
  )
})

test('at a past block as well, and apart from those of another block', async () => {
  const [one, other] = await Promise.all([readAll(16n), readAll(15n)])
  for (const [i, found] of [...one.entries(), ...other.entries()]) expectRight(found, i)
  expect(new Set(one.map(({ header }) => header.number))).toEqual(new Set([16n]))
  expect(new Set(other.map(({ header }) => header.number))).toEqual(new Set([15n]))
})

test.each([
  ['refuses state overrides', (params: readonly unknown[]) => params.length > 2, 'too many arguments'],
  ['runs no code of ours', (params: readonly unknown[]) => params.length > 2 || !hasTarget(params[0]), 'not supported'],
  ['grants little gas', ([call]: readonly unknown[]) => gasOf(call) > 12_000_000, 'gas limit is too high'],
])('whatever the node is like: one that %s', async (_, refuses, message) => {
  proxy.add({
    when: ({ method, params }) => method === 'eth_call' && refuses(params),
    fault: { error: { code: -32_602, message } },
  })
  for (const [i, one] of (await readAll()).entries()) expectRight(one, i)
})

const hasTarget = (call: unknown) => (call as { to?: string }).to !== undefined
const gasOf = (call: unknown) => Number((call as { gas?: string }).gas ?? 0)

test('a gateway that takes short requests only', async () => {
  proxy.add({ when: (call) => JSON.stringify(call).length > 12_000, fault: { raw: { status: 413, body: '' } } })
  for (const [i, one] of (await readAll()).entries()) expectRight(one, i)
})

test('a reader that fails by itself leaves the others as they are', async () => {
  const announce = opened()
  const [failing, ...others] = wallets.map(() => announce('ethereum').open([]))
  const address = listed[1] ?? common
  const failed = failing?.read({ address, abi: erc20Abi, functionName: 'balanceOf', args: [common] })
  const found = Promise.all(others.map((reader, i) => read(reader, i)))
  await expect(failed).rejects.toMatchObject({ name: 'ContractRevert' })
  for (const [i, one] of (await found).entries()) expectRight(one, i)
})

test('a call from a wallet comes only from it, regardless of the others in the batch', async () => {
  const originAbi = parseAbi(['function origin() view returns (address)'])
  // Returns tx.origin.
  const lens = { name: 'origin', abi: originAbi, runtimeCode: '0x3260005260206000f3' } as const
  const announce = opened()
  const readers = wallets.map(() => announce('ethereum'))
  const origins = await Promise.all(
    readers.map((reader, i) =>
      reader.open([]).lens(lens, { functionName: 'origin' }, { at: wallets[i] ?? common, lens }),
    ),
  )
  expect(origins.map((origin) => origin.toLowerCase())).toEqual(wallets)
})

test('a reorganisation between two batches fails every reader, and none shows two forks', async () => {
  await node.send('anvil_mine', '0x50')
  // With their own transaction: otherwise the new blocks would equal the old ones.
  const paid = { from: rich, to: common, value: '0x1', gas: '0x5208', gasPrice: '0x0' }
  const before = async () => {
    await node.send('anvil_reorg', 7, [[paid, 0]])
  }
  proxy.add({ when: isLater, times: 1, fault: { before } })
  const announce = opened()
  const readers = wallets.map(() => announce('ethereum'))
  const found = await Promise.allSettled(readers.map((reader, i) => read(reader.open([]), i)))
  for (const one of found) expect(one).toMatchObject({ status: 'rejected', reason: { name: 'UpstreamError' } })
  for (const [i, one] of (await readAll()).entries()) expectRight(one, i)
})

test('more readers than share one queue make a second', async () => {
  const announce = opened()
  const readers = Array.from({ length: 130 }, () => announce('ethereum'))
  const found = await Promise.all(readers.map((reader, i) => read(reader.open([]), i % WALLETS)))
  for (const [i, one] of found.entries()) expectRight(one, i % WALLETS)
  expect(proxy.calls().filter(({ params }) => params[0] === 'latest')).toHaveLength(2)
})
