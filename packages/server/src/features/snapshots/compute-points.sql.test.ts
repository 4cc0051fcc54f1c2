import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { RpcRefusal } from '../../chains/rpc/json-rpc.ts'
import type { Address } from '../../domain/address.ts'
import { decimal } from '../../domain/decimal.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { computePoints } from './compute-points.ts'
import type { PastChain, PastRead } from './past-reads.ts'
import { sumPoints } from './point-store.ts'

const database = await suiteDatabase('points')
const HOUR = 3_600
const BEGAN = 10 * HOUR
const RETRY_SECONDS = 300
const DAY_SECONDS = 86_400
const wallet = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as Address
const WALLETS = [wallet(1), wallet(2)]
const UNREADABLE = { protocol: 'aave', reason: 'unreadable' } as const
let chains = 0

/** One block an hour; a wallet holds its number of USD times the block. `final`: the newest final block. */
function startChain({ final = 1_000, isLocal = false } = {}) {
  const state = { final, oldest: 0, isDown: false, partial: new Set<number>() }
  const asked: number[] = []
  const refuse = () => {
    if (state.isDown) throw new UpstreamError('unavailable', 'down')
  }
  const past = {
    async blocksAt(_: PastChain, times: readonly number[]) {
      refuse()
      const blockAt = (time: number) =>
        time < BEGAN ? undefined : { number: BigInt(time / HOUR), timestamp: time - 1, hash: '0x00' }
      return new Map(times.map((time) => [time, blockAt(time)]))
    },
    async readWhole(_: PastChain, of: Address, { number }: { number: bigint }): Promise<PastRead> {
      const block = Number(number)
      asked.push(block)
      refuse()
      if (block < state.oldest) throw new RpcRefusal(-32_000, 'missing trie node 00 (path ) state is not available')
      const value = decimal(number * BigInt(of))
      const gaps = state.partial.has(block) ? [UNREADABLE] : []
      const valued = {
        read: { chain: 'ethereum', readAt: 0, gaps },
        direct: [],
        held: [{ value } as never],
        positions: [],
        value,
      }
      return { valued, searching: undefined, isKept: block <= state.final && gaps.length === 0 }
    },
    oldestState: async () => BigInt(state.oldest),
  }
  chains += 1
  const key = `chain ${chains}`
  const of = { chain: { key, isLocal } } as PastChain
  async function compute(hours: readonly number[], wallets = WALLETS) {
    asked.length = 0
    const times = hours.map((hour) => hour * HOUR)
    await computePoints({ db: database.db, past }, new AbortController().signal, { past: of, wallets, times })
    return asked
  }
  const sums = (hours: readonly number[]) =>
    sumPoints(database.db, { wallets: WALLETS, chains: [key], times: hours.map((hour) => hour * HOUR) })
  return { state, compute, sums, key }
}

async function laterBy(key: string, seconds: number): Promise<void> {
  const text = 'update wallet_point set computed_at = computed_at - make_interval(secs => $1) where chain = $2'
  await database.pool.query(text, [seconds, key])
}

const hoursFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)

test('computes each point once, the newest first, and sums the wallets by time', async () => {
  const { compute, sums, key } = startChain()
  const hours = hoursFrom(8, 40)
  const asked = await compute(hours)
  // The chain began at hour 10. Both wallets of a block are read together.
  expect(asked).toHaveLength(2 * 38)
  expect(asked.slice(0, 2)).toEqual([47, 47])
  const { chains, protocols, gaps } = await sums(hours)
  expect(gaps).toEqual([])
  expect(chains.toSorted((a, b) => a.time - b.time)).toEqual(
    hours.map((hour) => ({
      time: hour * HOUR,
      chain: key,
      stored: 2,
      known: 2,
      read: 2,
      ...(hour >= 10 && { block: BigInt(hour), blockTime: hour * HOUR - 1 }),
    })),
  )
  const worth = protocols.toSorted((a, b) => a.time - b.time).map(({ time, value }) => [time / HOUR, String(value)])
  expect(worth).toEqual(hoursFrom(10, 38).map((hour) => [hour, String(3 * hour)]))
  await laterBy(key, RETRY_SECONDS)
  expect(await compute(hours)).toEqual([])
  // A third wallet needs its own points alone.
  expect(await compute([20, 21], [...WALLETS, wallet(3)])).toEqual([21, 20])
})

test('computes a point again that was not final, or lacked a part, after some minutes', async () => {
  const { state, compute, sums, key } = startChain({ final: 20 })
  state.partial.add(19)
  await compute([18, 19, 20, 21])
  expect((await sums([18, 19, 20, 21])).gaps).toEqual([{ time: 19 * HOUR, chain: key, wallets: 2, ...UNREADABLE }])
  expect(await compute([18, 19, 20, 21])).toEqual([])
  await laterBy(key, RETRY_SECONDS)
  expect((await sums([21])).chains).toMatchObject([{ stored: 2, known: 0, read: 2 }])
  state.partial.clear()
  expect((await compute([18, 19, 20, 21])).toSorted((a, b) => a - b)).toEqual([19, 19, 21, 21])
  expect((await sums([18, 19, 20, 21])).gaps).toEqual([])
  await laterBy(key, RETRY_SECONDS)
  expect((await compute([18, 19, 20, 21])).toSorted((a, b) => a - b)).toEqual([21, 21])
})

test('keeps the last figures, marked, when a later read fails', async () => {
  const { state, compute, sums, key } = startChain({ final: 20 })
  await compute([21])
  const { protocols } = await sums([21])
  await laterBy(key, RETRY_SECONDS)
  state.isDown = true
  await compute([21])
  const after = await sums([21])
  expect(after.protocols).toEqual(protocols)
  expect(after.chains).toMatchObject([{ stored: 2, known: 2, read: 2, block: 21n }])
  expect(after.gaps).toEqual([{ time: 21 * HOUR, chain: key, wallets: 2, reason: 'stale' }])
  state.isDown = false
  await laterBy(key, RETRY_SECONDS)
  await compute([21])
  expect((await sums([21])).gaps).toEqual([])
})

test('settles nothing on a local chain, which may begin again', async () => {
  const { compute, key } = startChain({ isLocal: true })
  await compute([9, 20])
  await laterBy(key, RETRY_SECONDS)
  expect(await compute([9, 20])).toEqual([20, 20])
})

test('asks no block below the oldest state, and says which points lack it', async () => {
  const { state, compute, sums, key } = startChain()
  state.oldest = 40
  const asked = await compute(hoursFrom(20, 41))
  // One page below the oldest state, at most.
  expect(Math.min(...asked)).toBeGreaterThanOrEqual(40 - 8)
  const { gaps, protocols } = await sums(hoursFrom(20, 41))
  expect(gaps.toSorted((a, b) => a.time - b.time)).toEqual(
    hoursFrom(20, 20).map((hour) => ({ time: hour * HOUR, chain: key, wallets: 2, reason: 'no-state' })),
  )
  expect(protocols).toHaveLength(21)
  // An archive endpoint that is added counts within a day.
  state.oldest = 0
  await laterBy(key, DAY_SECONDS - 60)
  expect(await compute(hoursFrom(20, 41))).toEqual([])
  await laterBy(key, 60)
  expect(await compute(hoursFrom(20, 41))).toHaveLength(2 * 20)
})

test('stops asking when no node answers, and continues later', async () => {
  const { state, compute, sums, key } = startChain()
  state.isDown = true
  expect(await compute(hoursFrom(20, 30))).toEqual([])
  expect((await sums(hoursFrom(20, 30))).gaps).toHaveLength(30)
  state.isDown = false
  await laterBy(key, RETRY_SECONDS)
  await compute(hoursFrom(20, 30))
  const { gaps, protocols } = await sums(hoursFrom(20, 30))
  expect([gaps, protocols.length]).toEqual([[], 30])
})
