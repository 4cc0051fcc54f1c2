import { beforeEach, expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import { findChain } from '../chains/chain-catalog.ts'
import { chains } from '../chains/chain-types.ts'
import type { SearchEnd, SearchStep } from '../chains/shared/search-end.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { ReadGap, WalletRead } from '../domain/wallet-read.ts'
import { createLogger } from '../lib/logger.ts'
import { createRefresh } from './refresh.ts'
import { createWalletReadStore } from './wallet-read-store.ts'

const START = Date.UTC(2026, 0, 1)
const GAPS: ReadGap[] = [{ protocol: 'aave_v3', reason: 'unreadable' }]

const database = await suiteDatabase('refresh')
let wallet: EvmAddress
let wallets = 0
beforeEach(() => {
  wallets += 1
  wallet = `0x${wallets.toString(16).padStart(40, '0')}`
})

function readOf(block: bigint, gaps: ReadGap[] = []): WalletRead {
  const [holdings, positions, tokens, prices] = [[], [], [], []]
  return { chain: 'ethereum', wallet, block, blockTime: 1, readAt: START, holdings, positions, tokens, prices, gaps }
}

/** The test ends reads and searches, with results. */
function rig() {
  const store = createWalletReadStore(database.db)
  const ethereum = findChain('ethereum', chains)
  if (!ethereum) throw new Error('the catalog has no chain ethereum')
  const reads: PromiseWithResolvers<WalletRead>[] = []
  const searches: PromiseWithResolvers<SearchStep>[] = []
  let now = START
  const clock = { now: () => (now += 1) }
  const next = <T>(waiting: PromiseWithResolvers<T>[]) => {
    const turn = Promise.withResolvers<T>()
    waiting.push(turn)
    return turn.promise
  }
  const refresh = createRefresh({
    chains: new Map([['ethereum', ethereum]]),
    readingOf: () => ({
      collect: async () => ({ read: { ...(await next(reads)), readAt: clock.now() }, plan: [], hash: null }),
      search: () => next(searches),
      isReplaced: async () => false,
    }),
    store,
    clock,
    log: createLogger({ level: 'silent' }),
  })
  /** The read or search that began as number `index`. */
  const begun = async <T>(waiting: PromiseWithResolvers<T>[], index: number): Promise<PromiseWithResolvers<T>> => {
    await expect.poll(() => waiting[index]).toBeDefined()
    return waiting[index] as PromiseWithResolvers<T>
  }
  return {
    store,
    refresh: (onChange?: () => void) =>
      refresh('ethereum', wallet, (search) => void search.then((changed) => changed && onChange?.())),
    read: (index: number) => begun(reads, index),
    search: (index: number) => begun(searches, index),
    stored: async () => (await store.findOne(wallet, 'ethereum'))?.read,
    known: async () => (await store.findOne(wallet, 'ethereum'))?.search,
  }
}

test('a background read begun under a fault does not replace the whole one that was begun and stored after it', async () => {
  const { refresh, read, search, stored } = rig()
  const ended = Promise.withResolvers<void>()
  const faulty = refresh(ended.resolve)
  ;(await read(0)).resolve(readOf(7n, GAPS))
  expect((await faulty).read.gaps).toEqual(GAPS)
  ;(await search(0)).resolve({ found: true, end: 'whole' })
  const behind = await read(1)

  const healed = refresh()
  ;(await read(2)).resolve(readOf(7n))
  expect((await healed).read.gaps).toEqual([])
  behind.resolve(readOf(7n, GAPS))
  await ended.promise
  expect((await stored())?.gaps).toEqual([])
})

test('of two whole reads of one block the one that began later stays, whichever ends first', async () => {
  const { refresh, read, stored } = rig()
  const token = { token: wallet, amountRaw: 1n, receipt: false }
  const first = refresh()
  const early = await read(0)
  const second = refresh()
  ;(await read(1)).resolve({ ...readOf(7n), holdings: [token] })
  expect((await second).read.holdings).toEqual([token])
  early.resolve(readOf(7n))
  expect((await first).read.holdings).toEqual([token])
  expect((await stored())?.holdings).toEqual([token])
})

test('a read with gaps replaces a whole one of its block only if it began after that had ended', async () => {
  const { store, stored } = rig()
  const at = (readAt: number, gaps: ReadGap[] = []) => ({ ...readOf(7n, gaps), readAt: START + readAt })
  expect(await store.save(at(10, GAPS), [], { begunAt: START })).toBe(true)
  expect(await store.save(at(20), [], { begunAt: START - 5 })).toBe(true)
  expect(await store.save(at(25, GAPS), [], { begunAt: START + 19 })).toBe(false)
  expect((await stored())?.gaps).toEqual([])
  expect(await store.save(at(30, GAPS), [], { begunAt: START + 20 })).toBe(true)
  expect((await stored())?.gaps).toEqual(GAPS)
})

test('a wallet is searched until a search has come to its end, in whichever process, and is again after an hour', async () => {
  const { refresh, read, search, known } = rig()
  const turn = async (index: number, end: SearchEnd) => {
    const ended = Promise.withResolvers<void>()
    const answer = refresh(ended.resolve)
    ;(await read(index)).resolve(readOf(7n + BigInt(index)))
    const before = (await answer).search
    ;(await search(index)).resolve({ found: false, end })
    return { before, changed: ended.promise }
  }
  expect((await turn(0, 'unfinished')).before).toEqual({ wholeAt: null, refused: false })
  const refused = await turn(1, 'refused')
  await refused.changed
  expect(await known()).toEqual({ wholeAt: null, refused: true })
  const whole = await turn(2, 'whole')
  expect(whole.before).toEqual({ wholeAt: null, refused: true })
  await whole.changed
  expect(await known()).toEqual({ wholeAt: expect.any(Number), refused: false })
  expect((await turn(3, 'whole')).before).toEqual(await known())
})

test('a search has ended once what it found was read', async () => {
  const { refresh, read, search, known } = rig()
  const ended = Promise.withResolvers<void>()
  const first = refresh(ended.resolve)
  ;(await read(0)).resolve(readOf(7n))
  await first
  ;(await search(0)).resolve({ found: true, end: 'whole' })
  const again = await read(1)
  expect(await known()).toEqual({ wholeAt: null, refused: false })
  again.resolve(readOf(7n))
  await ended.promise
  expect(await known()).toEqual({ wholeAt: expect.any(Number), refused: false })
})
