import type { Address } from '@solana/kit'
import { expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import type { RpcCall } from '../../../../test/rpc-proxy.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { AccountFilter } from './account-requests.ts'
import { createSolanaReader } from './solana-reader.ts'

const STAKE = 'Stake11111111111111111111111111111111111111'
const VAULT = 'SysvarStakeHistory1111111111111111111111111'
const RESERVE = 'StakeConfig11111111111111111111111111111111' as Address
const WALLETS = 100

const { devnet, proxy, poolOf, walletWith } = await startCluster()
const wallets: Address[] = []
for (let i = 0; i < WALLETS; i += 1) wallets.push((await walletWith(`one of many ${i}`, lamportsOf(i))).address)
const [poor, rich] = [0, 1]
setReserve(1)

function lamportsOf(i: number) {
  return 1_000_000_000n + BigInt(i)
}

function setReserve(byte: number): void {
  const data = new Uint8Array(1_000).fill(byte)
  devnet.chain.setAccount(RESERVE, { owner: STAKE as Address, data, lamports: 1n })
}

const stakesOf = (wallet: Address): AccountFilter[] => [{ dataSize: 200 }, { offset: 44, bytes: wallet }]

/** Two batches, like a wallet's read: holdings, then what they lead to. */
async function readWallet(pool: RpcPool, wallet: Address) {
  const reader = createSolanaReader(pool)
  const [[own], tokens, { slot }] = await Promise.all([
    reader.accounts([wallet]),
    reader.tokenAccounts(wallet),
    reader.clock(),
  ])
  const [[reserve, vault], stakes] = await Promise.all([
    reader.accounts([RESERVE, VAULT]),
    reader.programAccounts(STAKE, stakesOf(wallet)),
  ])
  return { lamports: own?.lamports, tokens, slot, reserve: reserve?.data[0], vault: vault?.owner, stakes }
}

const expectedOf = (i: number, reserve: number) => ({
  ...{ lamports: lamportsOf(i), tokens: [], slot: devnet.chain.slot(), reserve, stakes: [] },
  vault: 'Sysvar1111111111111111111111111111111111111',
})

const accountsIn = ({ method, params }: RpcCall): string[] =>
  method === 'getMultipleAccounts' ? (params[0] as string[]) : []
const timesRead = (address: string) =>
  proxy
    .calls()
    .flatMap(accountsIn)
    .filter((each) => each === address).length

test('a hundred wallets share exchanges, and what is the same for all is read once', async () => {
  const pool = poolOf()
  const found = await Promise.all(wallets.map((wallet) => readWallet(pool, wallet)))
  expect(found).toEqual(wallets.map((_, i) => expectedOf(i, 1)))
  expect(timesRead(RESERVE)).toBe(1)
  expect(timesRead(VAULT)).toBe(1)
  // Alone, each sends four.
  expect(proxy.requests()).toBeLessThanOrEqual(WALLETS)
})

test('equal searches of one moment are made once', async () => {
  const pool = poolOf()
  const search = () => createSolanaReader(pool).programAccounts(STAKE, stakesOf(wallets[0] as Address))
  expect(await Promise.all([search(), search()])).toEqual([[], []])
  expect(proxy.calls()).toHaveLength(1)
})

test('a reader takes what another has read at the slot that it has seen, and nothing older', async () => {
  const pool = poolOf()
  const [first, second] = [createSolanaReader(pool), createSolanaReader(pool)]
  await Promise.all([first.clock(), second.clock()])
  const [before] = await first.accounts([RESERVE])
  proxy.reset()
  expect((await second.accounts([RESERVE]))[0]).toBe(before)
  expect(proxy.calls()).toEqual([])
  devnet.chain.moveTo()
  setReserve(2)
  const third = createSolanaReader(pool)
  expect((await third.clock()).slot).toBe(devnet.chain.slot())
  expect((await third.accounts([RESERVE]))[0]?.data[0]).toBe(2)
  // A reader that has seen no slot requires no minimum.
  expect(await createSolanaReader(pool).accounts([RESERVE])).toHaveLength(1)
  expect(timesRead(RESERVE)).toBe(2)
  setReserve(1)
})

test('what was read a while ago is read again, however long the chain stands still', async () => {
  let now = 1_800_000_000_000
  const pool = poolOf([devnet.url], { clock: { now: () => now } })
  await createSolanaReader(pool).accounts([RESERVE])
  setReserve(3)
  const [soon, later] = [createSolanaReader(pool), createSolanaReader(pool)]
  await Promise.all([soon.clock(), later.clock()])
  expect((await soon.accounts([RESERVE]))[0]?.data[0]).toBe(1)
  now += 2_000
  expect((await later.accounts([RESERVE]))[0]?.data[0]).toBe(3)
  setReserve(1)
})

test('final state is not shared with newer state', async () => {
  const pool = poolOf()
  const [newest, final] = [createSolanaReader(pool), createSolanaReader(pool, { final: true })]
  await Promise.all([newest.clock(), final.clock()])
  await newest.accounts([RESERVE])
  await final.accounts([RESERVE])
  const read = proxy.calls().filter((call) => accountsIn(call).includes(RESERVE))
  expect(read.map(({ params }) => (params[1] as { commitment: string }).commitment)).toEqual(['confirmed', 'finalized'])
})

test("an account that cannot be read fails its wallet's read, and no other", async () => {
  const spoiled = wallets[poor] as Address
  proxy.add({
    when: (call) => accountsIn(call).includes(spoiled),
    fault: {
      answer: (envelope, call) => {
        const at = accountsIn(call).indexOf(spoiled)
        const result = envelope['result'] as { context: object; value: object[] }
        const value = result.value.map((account, i) => (i === at ? { ...account, lamports: 1.5 } : account))
        return { ...envelope, result: { ...result, value } }
      },
    },
  })
  // Without a pause both try again at the same moment.
  const pool = poolOf([proxy.url], { limits: { backoffMs: 0 } })
  const [failed, read] = await Promise.allSettled([poor, rich].map((i) => readWallet(pool, wallets[i] as Address)))
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'UpstreamError', reason: 'invalid' } })
  expect(read).toEqual({ status: 'fulfilled', value: expectedOf(rich, 1) })
})

test.each<[string, (envelope: Record<string, unknown>) => unknown, string]>([
  ['refused', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } }), 'unavailable'],
  ['unreadable', (envelope) => ({ ...envelope, result: { context: { slot: 1 }, value: [{}] } }), 'invalid'],
])('a search that is %s fails by itself', async (_, answer, reason) => {
  const isPoor = ({ params }: RpcCall) => JSON.stringify(params).includes(wallets[poor] as string)
  proxy.add({
    when: ({ method }) => method === 'getProgramAccounts',
    fault: { answer: (envelope, call) => (isPoor(call) ? answer(envelope) : envelope) },
  })
  const pool = poolOf()
  const searches = [poor, rich].map((i) =>
    createSolanaReader(pool).programAccounts(STAKE, stakesOf(wallets[i] as Address)),
  )
  const [failed, found] = await Promise.allSettled(searches)
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'UpstreamError', reason } })
  expect(found).toEqual({ status: 'fulfilled', value: [] })
  expect(proxy.calls().some(proxy.isBatch)).toBe(true)
})

test('where a batch takes too long its calls are made one by one, and for a while no other batches', async () => {
  proxy.add({ when: proxy.isBatch, times: 1, fault: { socket: 'stall' } })
  const pool = poolOf([proxy.url], { limits: { ...UNHURRIED, scanTimeoutMs: 5_000 } })
  const search = (i: number) => createSolanaReader(pool).programAccounts(STAKE, stakesOf(wallets[i] as Address))
  expect(await Promise.all([poor, rich].map(search))).toEqual([[], []])
  expect(await Promise.all([poor, rich].map(search))).toEqual([[], []])
  expect(proxy.calls().map(proxy.isBatch)).toEqual([true, true, false, false, false, false])
})

const TOO_LARGE = { raw: { status: 413, body: '' } }

test('a gateway that refuses batches is sent none of them again', async () => {
  proxy.add({ when: proxy.isBatch, fault: TOO_LARGE })
  const pool = poolOf()
  const search = (i: number) => createSolanaReader(pool).programAccounts(STAKE, stakesOf(wallets[i] as Address))
  expect(await Promise.all([poor, rich].map(search))).toEqual([[], []])
  expect(await Promise.all([poor, rich].map(search))).toEqual([[], []])
  expect(proxy.calls().map(proxy.isBatch)).toEqual([true, true, false, false, false, false])
})

test('a gateway that refuses long batches is sent shorter ones', async () => {
  proxy.add({ when: proxy.isBatch, times: 1, fault: TOO_LARGE })
  const pool = poolOf()
  const dozen = () =>
    Promise.all(wallets.slice(0, 12).map((wallet) => createSolanaReader(pool).programAccounts(STAKE, stakesOf(wallet))))
  expect(await dozen()).toEqual(Array.from({ length: 12 }, () => []))
  expect(proxy.requests()).toBe(1 + 12)
  expect(await dozen()).toEqual(Array.from({ length: 12 }, () => []))
  // Ten and two.
  expect(proxy.requests()).toBe(1 + 12 + 2)
})

test('an endpoint that fails in the middle of shared reads is left by all of them', async () => {
  proxy.add({
    when: ({ params }) => (params.at(-1) as { minContextSlot?: number }).minContextSlot !== undefined,
    fault: { socket: 'reset' },
  })
  const pool = poolOf([proxy.url, devnet.url])
  const found = await Promise.all(wallets.slice(0, 10).map((wallet) => readWallet(pool, wallet)))
  expect(found).toEqual(found.map((_, i) => expectedOf(i, 1)))
})

test('where the slot goes back in the middle of shared reads, each is read where it does not', async () => {
  proxy.add({
    when: (call) => accountsIn(call).includes(RESERVE),
    fault: {
      params: (params) => params.with(-1, { ...(params.at(-1) as object), minContextSlot: undefined }),
      answer: (envelope, call) => {
        const { value } = envelope['result'] as { value: object[] }
        const at = accountsIn(call).indexOf(RESERVE)
        const old = { ...value[at], data: [Buffer.alloc(1_000, 9).toString('base64'), 'base64'] }
        return { ...envelope, result: { context: { slot: 7 }, value: value.with(at, old) } }
      },
    },
  })
  const pool = poolOf([proxy.url, devnet.url])
  const found = await Promise.all(wallets.slice(0, 10).map((wallet) => readWallet(pool, wallet)))
  expect(found).toEqual(found.map((_, i) => expectedOf(i, 1)))
  expect(timesRead(RESERVE)).toBeGreaterThan(0)
})
