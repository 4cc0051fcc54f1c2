import { everyAdapter } from '@coffer/solana-fixtures'
import { address } from '@solana/kit'
import { expect, it } from 'vitest'
import { testClock } from '../../../../test/harness.ts'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { figuresOf, CLOCK as PRESENT } from '../../../../test/solana/protocol-bench.ts'
import { createAccountProbe } from '../collect/used-programs.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { PositionScope, SolanaAdapter } from './adapter.ts'
import { solanaAdapters } from './protocols.ts'

// Accounts of every protocol under their real programs on the local chain, read by the real reader.

const CLOCK = { ...PRESENT, slot: PRESENT.slot + 5_000n }

const { devnet, proxy, openReader, callsOf } = await startCluster()
const wallet = (await devnet.keypair('lender')).address
const fixtures = await everyAdapter(wallet, CLOCK)
for (const { address: at, owner, data, lamports } of Object.values(fixtures).flatMap(({ accounts }) => accounts)) {
  devnet.chain.setAccount(address(at), { owner: address(owner), data, lamports })
}

const placed = solanaAdapters.filter(({ key }) => key in fixtures)
const held = Object.values(fixtures).flatMap((fixture) => fixture.held)
const read = (adapter: SolanaAdapter, reader: SolanaReader, more: Partial<PositionScope> = {}) => {
  const scope = { reader, wallet, clock: CLOCK, held, used: new Set(adapter.searched), found: newFinds() }
  return adapter.positions({ ...scope, ...more })
}

it('shows every position with the amounts of the protocol itself', async () => {
  expect(placed.map(({ key }) => key).sort()).toEqual(Object.keys(fixtures).sort())
  for (const adapter of placed) {
    expect(figuresOf(await read(adapter, openReader())), adapter.key).toEqual(fixtures[adapter.key]?.expected)
    // Accounts by address are one call a round trip. Kamino's and Jupiter's vaults are two round trips from a mint.
    const most = ['kamino_vaults', 'jupiter_lend'].includes(adapter.key) ? 3 : 2
    expect(callsOf('getMultipleAccounts').length, adapter.key).toBeLessThanOrEqual(most)
    proxy.reset()
  }
})

it('reads all protocols at once, and searches each program once', async () => {
  const reader = openReader()
  const found = await Promise.all(placed.map((adapter) => read(adapter, reader)))
  expect(figuresOf(found.flat())).toHaveLength(Object.values(fixtures).flatMap(({ expected }) => expected).length)
  const asked = callsOf('getProgramAccounts').map(({ params }) => JSON.stringify(params))
  // The pools of shares are not searched again.
  expect(asked.length).toBeGreaterThanOrEqual(11)
  expect(new Set(asked).size).toBe(asked.length)
})

it('searches nothing for a wallet that has used none of the programs', async () => {
  const reader = openReader()
  const none = placed.map((adapter) => read(adapter, reader, { held: [], used: new Set() }))
  const found = figuresOf((await Promise.all(none)).flat())
  // At addresses derived from the wallet: Kamino's plain obligation and the votes.
  expect(found.map(({ kind }) => kind).sort()).toEqual(['lending', 'locked', 'locked'])
  expect(callsOf('getProgramAccounts').length).toBe(0)
})

it('finds programs that hold accounts of a wallet which called none of them, once a day', async () => {
  const clock = testClock()
  const reader = (): SolanaReader => ({ ...openReader(), clock: async () => CLOCK })
  const probe = createAccountProbe(reader, newFinds, clock)
  const of = { chain: 'solana', wallet }
  const searched = placed.flatMap((adapter) => adapter.searched ?? [])
  // Drift's accounts are derived from the wallet.
  const derived = ['dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH']
  const refusal = { error: { code: -32601, message: 'Method not found' } }
  proxy.add({ when: ({ method }) => method === 'getProgramAccounts', fault: { status: 500 } })
  expect(await probe(of, new Set())).toEqual(derived)
  proxy.reset()
  // An hour later the node has recovered.
  expect(await probe(of, new Set())).toEqual(derived)
  clock.advance(60 * 60 * 1_000)
  expect([...(await probe(of, new Set()))].sort()).toEqual([...searched].sort())
  const calls = callsOf('getProgramAccounts').length
  clock.advance(23 * 60 * 60 * 1_000)
  await probe(of, new Set())
  expect(callsOf('getProgramAccounts').length).toBe(calls)
  // Programs known to be used are not searched. Without a searching node, no program is.
  clock.advance(60 * 60 * 1_000)
  proxy.reset()
  expect(await probe(of, new Set(searched))).toEqual([])
  expect(callsOf('getProgramAccounts').length).toBe(0)
  clock.advance(24 * 60 * 60 * 1_000)
  proxy.add({ when: ({ method }) => method === 'getProgramAccounts', fault: refusal })
  expect(await probe(of, new Set())).toEqual(derived)
})
