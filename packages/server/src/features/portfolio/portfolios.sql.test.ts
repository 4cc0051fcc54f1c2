import { Failure } from '@coffer/contract'
import { beforeEach, expect, test, vi } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { HANGS_MS } from '../../../test/hangs.ts'
import { heldOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createWalletReadStore } from '../../wallets/wallet-read-store.ts'
import { createPortfolios } from './portfolios.ts'

const native = '0x0000000000000000000000000000000000000000'
const START = Date.UTC(2026, 0, 1)

const database = await suiteDatabase('portfolios')
let wallet: EvmAddress
let wallets = 0
beforeEach(() => {
  wallets += 1
  wallet = `0x${wallets.toString(16).padStart(40, '0')}`
})

const readAt = (chain: string, block: bigint, now: number) =>
  readOf(wallet, {
    ...{ chain, block, blockTime: Math.floor(now / 1000), readAt: now, holdings: [heldOf(native, block)] },
    tokens: [tokenOf(native, 'ETH', { chain })],
  })

/** Portfolios over two chains. Their nodes are at `blocks`, fail in `down`, and wait for `gate`. */
function rig() {
  const store = createWalletReadStore(database.db)
  const state = {
    now: START,
    blocks: { ethereum: 100n, base: 200n },
    down: new Set<string>(),
    /** The background search of each read has ended. */
    searched: true,
    reads: 0,
    loads: 0,
    gate: Promise.resolve(),
    /** Delays values loaded from the store. */
    loaded: Promise.resolve(),
    /** Stores another read of Ethereum, like the background search of a read. */
    findMore: async () => {},
  }
  const portfolios = createPortfolios({
    chains: ['ethereum', 'base'].map((key) => ({ key, family: 'evm' })),
    familyOf: () => 'evm',
    store: {
      ...store,
      async find(...asked) {
        const found = await store.find(...asked)
        state.loads += 1
        await state.loaded
        return found
      },
    },
    noteUse: () => undefined,
    clock: { now: () => state.now },
    log: { warn: () => undefined },
    async refresh(chain, of, follow) {
      state.reads += 1
      await state.gate
      if (state.down.has(chain)) throw new UpstreamError('unavailable', 'down')
      const read = readAt(chain, state.blocks[chain as 'ethereum' | 'base'], state.now)
      expect(of).toBe(wallet)
      await store.save(read, [])
      const search = { wholeAt: state.searched ? state.now : null, refused: false }
      await store.noteSearch(wallet, chain, search)
      if (chain === 'ethereum') {
        state.findMore = async () => {
          await store.save(readAt(chain, read.block + 1n, state.now), [])
          follow(Promise.resolve(true))
          await settled()
        }
      }
      return { read, search }
    },
  })
  const blocks = async (waitForSync = false) => {
    const { state: shown } = await portfolios.getState(wallet, waitForSync)
    return Object.fromEntries(shown.reads.map(({ read }) => [read.chain, read.block]))
  }
  return { store, state, portfolios, blocks }
}

/** Waits for the background reads of an answer. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a wallet never seen waits for its first read of every chain', async () => {
  const { blocks, portfolios } = rig()
  expect(portfolios.findFresh(wallet, false)).toBeUndefined()
  expect(await blocks()).toEqual({ ethereum: 100n, base: 200n })
  expect(portfolios.findFresh(wallet, false)?.state.incomplete).toEqual([])
})

test('what was loaded before a read ended is loaded again, not read again', async () => {
  const { state, blocks } = rig()
  const held = Promise.withResolvers<void>()
  state.loaded = held.promise
  const late = blocks()
  await vi.waitFor(() => expect(state.loads).toBe(1), { timeout: HANGS_MS })
  state.loaded = Promise.resolve()
  await blocks()
  expect(state.reads).toBe(2)
  held.resolve()
  expect(await late).toEqual({ ethereum: 100n, base: 200n })
  expect(state.reads).toBe(2)
})

test('a read is fresh for a minute, to the millisecond', async () => {
  const { state, blocks, portfolios } = rig()
  await blocks()
  state.now += 59_999
  expect(portfolios.findFresh(wallet, false)).toBeDefined()
  state.now += 1
  expect(portfolios.findFresh(wallet, false)).toBeUndefined()
})

test('an old read is answered at once and refreshed in the background', async () => {
  const { state, blocks } = rig()
  await blocks()
  state.now += 60_000
  state.blocks = { ethereum: 105n, base: 230n }
  expect(await blocks()).toEqual({ ethereum: 100n, base: 200n })
  await expect.poll(() => blocks()).toEqual({ ethereum: 105n, base: 230n })
  expect(state.reads).toBe(4)
})

test('what the background search of a read finds is in the next answer', async () => {
  const { state, blocks } = rig()
  expect(await blocks()).toEqual({ ethereum: 100n, base: 200n })
  await state.findMore()
  expect(await blocks()).toEqual({ ethereum: 101n, base: 200n })
  expect(state.reads).toBe(2)
})

test('an answer says that its background search is running, and stops when it has ended, without another read', async () => {
  const { state, store, portfolios } = rig()
  state.searched = false
  const incomplete = async () => (await portfolios.getState(wallet, false)).state.incomplete
  const searching = (chain: string) => ({ chain, reason: 'searching' })
  expect(await incomplete()).toEqual([searching('ethereum'), searching('base')])
  // Another process has searched one chain. No node of the other allows a search.
  await store.noteSearch(wallet, 'base', { wholeAt: state.now, refused: false })
  await store.noteSearch(wallet, 'ethereum', { wholeAt: null, refused: true })
  const elsewhere = rig()
  expect((await elsewhere.portfolios.getState(wallet, false)).state.incomplete).toEqual([
    { chain: 'ethereum', reason: 'not-allowed' },
  ])
  expect(elsewhere.state.reads).toBe(0)
  // This process knows it with the next load.
  await state.findMore()
  expect(await incomplete()).toEqual([{ chain: 'ethereum', reason: 'not-allowed' }])
  expect(state.reads).toBe(2)
})

test('a chain that fails keeps its last good read and says so; it is not asked again for ten seconds', async () => {
  const { state, blocks, portfolios } = rig()
  await blocks()
  state.now += 60_000
  state.down.add('base')
  state.blocks = { ethereum: 105n, base: 230n }
  expect(await blocks(true)).toEqual({ ethereum: 105n, base: 200n })
  const { state: shown } = await portfolios.getState(wallet, true)
  expect(shown.incomplete).toEqual([{ chain: 'base', reason: 'stale' }])
  const reads = state.reads
  state.now += 9_999
  await blocks(true)
  expect(state.reads).toBe(reads)
  state.down.clear()
  state.now += 1
  expect(await blocks(true)).toEqual({ ethereum: 105n, base: 230n })
})

test('a chain that was never read is missing, not zero', async () => {
  const { state, portfolios } = rig()
  state.down.add('base')
  const { state: shown } = await portfolios.getState(wallet, false)
  expect(shown.reads.map(({ read }) => read.chain)).toEqual(['ethereum'])
  expect(shown.incomplete).toEqual([{ chain: 'base', reason: 'unreadable' }])
})

test('a wallet that cannot be read is a bad gateway, not an empty wallet', async () => {
  const { state, portfolios } = rig()
  state.down.add('base').add('ethereum')
  await expect(portfolios.getState(wallet, false)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', status: 502 })
  await expect(portfolios.getState(wallet, false)).rejects.toBeInstanceOf(Failure)
  await expect(portfolios.getState(wallet, false)).rejects.toThrow(
    'No chain could be read for this wallet: no node could be reached, or all of them failed (ethereum, base). Try again; the operator finds the cause with "coffer-admin doctor"',
  )
})

test('a read of an older block never replaces a newer one', async () => {
  const { store } = rig()
  await store.save(readAt('ethereum', 100n, START), [])
  await store.save(readAt('ethereum', 99n, START + 1), [])
  expect((await store.findOne(wallet, 'ethereum'))?.read).toMatchObject({ block: 100n, readAt: START })
  await store.save(readAt('ethereum', 100n, START + 2), [{ to: native, data: '0x01' }])
  expect(await store.findOne(wallet, 'ethereum')).toMatchObject({
    read: { readAt: START + 2 },
    plan: [{ to: native, data: '0x01' }],
  })
})

test('the last sync of a wallet is that of its oldest chain; one never read has none', async () => {
  const { store, portfolios } = rig()
  await store.save(readAt('ethereum', 1n, START + 5), [])
  await store.save(readAt('base', 1n, START + 1), [])
  const outsider: EvmAddress = '0x00000000000000000000000000000000000000fe'
  expect([...(await portfolios.lastReadAt([wallet, outsider]))]).toEqual([[wallet, START + 1]])
})
