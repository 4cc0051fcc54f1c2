import type { IncompleteReason, NewWatch, Watch } from '@coffer/contract'
import { beforeEach, expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { heldOf, priceOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import type { AirdropGap, WalletAirdrops } from '../../chains/airdrops.ts'
import { chainTypes } from '../../chains/chain-types.ts'
import { decimal, toRaw } from '../../domain/decimal.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createWalletReadStore } from '../../wallets/wallet-read-store.ts'
import { chargeInTransaction, grantCredits } from '../credits/credits.ts'
import { createPortfolios } from '../portfolio/portfolios.ts'
import { checkAirdrops } from './check-airdrops.ts'
import { checkCredits } from './check-credits.ts'
import { checkWallets } from './check-wallets.ts'
import { claimWallets, noteGaps, selectWatches, settle } from './watch-store.ts'
import { createWatch, removeWatch } from './watches.ts'

const database = await suiteDatabase('watches')
const { db, pool } = database

const START = Date.UTC(2027, 0, 1)
const LOOK = 15 * 60
const HOUR = 3_600
const native = `0x${'0'.repeat(40)}`
const bird = `0x${'b1'.repeat(20)}`
const SOLANA = 'So11111111111111111111111111111111111111112'
const never = new AbortController().signal

const chains = chainTypes.chains.filter(({ key }) => ['ethereum', 'base', 'solana'].includes(key))
const facts = { chains, chainTypes, hasBeacon: true }

/** Node data. Amounts in ETH and whole birds. */
const node = {
  ...{ eth: '1', birds: undefined as bigint | undefined, usd: '1000' as string | undefined, block: 1n },
  ...{ down: new Set<string>(), gaps: [] as WalletRead['gaps'], searched: true, refused: false },
}
let now = START
let wallet = ''
let account = ''

async function later(seconds: number): Promise<void> {
  now += seconds * 1_000
  await pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as
      $$ select timestamptz '${new Date(now).toISOString()}' $$`,
  )
}

const listen = (accountId: string) =>
  pool.query('insert into event_stream (account_id, heard_at) values ($1, coffer_now())', [accountId])

let wallets = 0
beforeEach(async () => {
  wallets += 1
  wallet = `0x${wallets.toString(16).padStart(40, '0')}`
  Object.assign(node, { eth: '1', birds: undefined, usd: '1000', gaps: [], searched: true, refused: false })
  node.down.clear()
  await pool.query('delete from watch')
  await later(HOUR)
  account = await accountWith(db, 0)
  await listen(account)
})

function nodeRead(chain: string, address: string): WalletRead {
  const { birds, usd, gaps } = node
  node.block += 1n
  return readOf(address, {
    ...{ chain, block: node.block, blockTime: now / 1_000, readAt: now, gaps },
    holdings: [
      heldOf(native, chain === 'base' ? 0n : toRaw(decimal(node.eth), 18)),
      ...(birds === undefined ? [] : [heldOf(bird, birds * 1_000_000n)]),
    ],
    tokens: [tokenOf(native, 'ETH', { chain }), tokenOf(bird, 'BIRD', { chain, decimals: 6, listed: false })],
    prices: usd === undefined ? [] : [priceOf(native, usd, { chain })],
  })
}

/** One process's checker. */
function checker() {
  const store = createWalletReadStore(db)
  const portfolios = createPortfolios({
    chains: ['ethereum', 'base'].map((key) => ({ key, family: 'evm' })),
    ...{ familyOf: () => 'evm', store, noteUse: () => undefined },
    ...{ clock: { now: () => now }, log: { warn: () => undefined } },
    async refresh(chain, address) {
      if (node.down.has(chain)) throw new UpstreamError('unavailable', 'down')
      const read = nodeRead(chain, address)
      await store.save(read, [])
      const search = { wholeAt: node.searched ? now : null, refused: node.refused }
      await store.noteSearch(address, chain, search)
      return { read, search }
    },
  })
  const catalog = { find: (_: string, token: string) => (token === native ? { symbol: 'ETH' } : undefined) } as never
  const reading = { catalog, chainsOf: () => ['ethereum', 'base'] }
  return (signal: AbortSignal) => checkWallets({ db, portfolios, reading, clock: { now: () => now } }, signal)
}

const look = checker()
async function lookLater(check = look): Promise<void> {
  await later(LOOK)
  await check(never)
}

const create = (wanted: NewWatch, of = account) => createWatch(db, facts, of, wanted)
const ofNetWorth = (direction: 'above' | 'below', threshold: string): NewWatch => ({
  ...{ type: 'netWorth', address: wallet, direction, threshold },
})
const ofBirds = (direction: 'above' | 'below', threshold: string): NewWatch => ({
  ...{ type: 'balance', address: wallet, chain: 'ethereum', contract: bird, direction, threshold },
})
const shown = async (): Promise<Watch> => (await selectWatches(db, account))[0] as Watch

async function reported(of = account): Promise<{ kind: string; subject: string; data: Record<string, unknown> }[]> {
  const { rows } = await pool.query('select kind, subject, data from event_outbox where account_id = $1 order by id', [
    of,
  ])
  return rows
}
const reportedValues = async () => (await reported()).map(({ data }) => data['value'])

test('a crossing of net worth is reported once, and again after the value has come back by 2 %', async () => {
  const { id, state } = await create(ofNetWorth('below', '1000.00'))
  expect(state).toBe('waiting')
  for (const eth of ['1.5', '0.99', '0.995', '1.0199', '0.99', '1.02', '0.999', '0.5']) {
    node.eth = eth
    await lookLater()
  }
  expect(await reportedValues()).toEqual(['990', '999'])
  const [first] = await reported()
  expect(first).toMatchObject({
    ...{ kind: 'networth.threshold', subject: `wallet ${wallet}` },
    data: { watchId: id, address: wallet, direction: 'below', threshold: '1000', value: '990' },
  })
  expect(Object.keys(first?.data['asOf'] as object).sort()).toEqual(['base', 'ethereum'])
  expect(await shown()).toMatchObject({ state: 'past', value: '500', threshold: '1000', incomplete: [] })
})

test('a value past the threshold at the first check is not reported, and neither is a check that comes too soon', async () => {
  await create(ofNetWorth('above', '10'))
  await lookLater()
  node.eth = '0.001'
  await later(LOOK - 1)
  await look(never)
  expect(await shown()).toMatchObject({ state: 'past', value: '1000' })
  await later(1)
  await look(never)
  expect(await shown()).toMatchObject({ state: 'clear', value: '1' })
  expect(await reported()).toEqual([])
})

test('an incomplete, old or partly unpriced total reports nothing', async () => {
  await create(ofNetWorth('below', '900'))
  const unknown = async (reason: Watch['incomplete'][number]['reason']) => {
    await lookLater()
    expect((await shown()).incomplete).toContainEqual(expect.objectContaining({ reason }))
    expect(await shown()).toMatchObject({ state: 'waiting', value: 'N/A' })
  }
  // Before the first known balance: none of these is the initial one.
  node.down.add('base')
  await unknown('unreadable')
  node.down.delete('base')
  node.searched = false
  await unknown('searching')
  node.searched = true
  node.usd = undefined
  await unknown('unpriced')
  node.usd = '1000'
  await lookLater()
  expect(await shown()).toMatchObject({ state: 'clear', value: '1000', incomplete: [] })

  const held = async (reason: IncompleteReason | 'unpriced') => {
    await lookLater()
    expect((await shown()).incomplete).toContainEqual(expect.objectContaining({ chain: 'ethereum', reason }))
    expect(await shown()).toMatchObject({ state: 'clear', value: '1000' })
  }
  node.eth = '0.5'
  node.down.add('ethereum')
  await held('stale')
  node.down.delete('ethereum')
  node.gaps = [{ protocol: 'aave', reason: 'stale' }]
  await held('stale')
  node.gaps = []
  node.usd = undefined
  await held('unpriced')
  expect(await reported()).toEqual([])
  node.usd = '1000'
  await lookLater()
  expect(await reportedValues()).toEqual(['500'])
})

test('a token that has had no price for a day counts as having none', async () => {
  await create(ofNetWorth('below', '900'))
  await lookLater()
  node.usd = undefined
  await later(86_400)
  await look(never)
  expect(await reported()).toEqual([])
  await lookLater()
  expect(await reportedValues()).toEqual(['0'])
})

test('a search that a node refuses holds nothing up, as what was found stays found', async () => {
  await create(ofNetWorth('below', '900'))
  Object.assign(node, { searched: false, refused: true })
  await lookLater()
  node.eth = '0.5'
  await lookLater()
  expect(await reportedValues()).toEqual(['500'])
})

test('a balance is of the wallet itself, exact, and nothing where every read asks for the token', async () => {
  await create({ type: 'balance', address: wallet, chain: '1', contract: native, direction: 'below', threshold: '0.3' })
  await lookLater()
  node.eth = '0.299999999999999999'
  // Another chain's gap does not matter.
  node.down.add('base')
  await lookLater()
  node.eth = '0'
  await lookLater()
  expect(await reported()).toMatchObject([
    {
      kind: 'balance.threshold',
      data: { chain: 'ethereum', contract: native, value: '0.299999999999999999', threshold: '0.3' },
    },
  ])
  expect(Object.keys((await reported())[0]?.data['asOf'] as object)).toEqual(['ethereum'])
  expect(await shown()).toMatchObject({ value: '0', chain: 'ethereum' })
})

test('a token that is on no list is not nothing before the wallet was searched for it', async () => {
  await create(ofBirds('above', '5'))
  node.searched = false
  await lookLater()
  expect(await shown()).toMatchObject({ state: 'waiting', incomplete: [{ chain: 'ethereum', reason: 'searching' }] })
  node.searched = true
  await lookLater()
  expect(await shown()).toMatchObject({ state: 'clear', value: '0' })
  node.birds = 6n
  // It was found before: a new search does not make it doubtful.
  node.searched = false
  await lookLater()
  node.gaps = [{ reason: 'unreadable' }]
  node.birds = undefined
  await lookLater()
  expect(await shown()).toMatchObject({ state: 'past', value: '6', incomplete: [{ reason: 'unreadable' }] })
  expect(await reportedValues()).toEqual(['6'])
})

test('of processes that check at once one reports, and a late one settles nothing', async () => {
  await create(ofNetWorth('below', '900'))
  await create(ofNetWorth('above', '5000'))
  await lookLater()
  node.eth = '0.5'
  await later(LOOK)
  await Promise.all([look, checker(), checker()].map((check) => check(never)))
  expect(await reportedValues()).toEqual(['500'])
  const terms = { types: ['netWorth'] as const, afterSeconds: 0, most: 8 }
  const [early, late] = [await claimWallets(db, terms), await claimWallets(db, terms)].map(
    (claimed) => claimed.get(wallet)?.[0],
  )
  if (!early || !late) throw new Error('nothing was claimed')
  await noteGaps(db, early, [{ chain: 'base', reason: 'stale' }])
  expect(await settle(db, early, { isPast: false, value: '7', known: null })).toBe(false)
  expect(await settle(db, late, { isPast: true, value: '8', known: null })).toBe(true)
  expect((await selectWatches(db, account)).map(({ value, incomplete }) => [value, incomplete])).toContainEqual([
    '8',
    [],
  ])
})

test('an account that may no longer read wallets gets no event', async () => {
  await create(ofNetWorth('below', '900'))
  await lookLater()
  node.eth = '0.5'
  await pool.query(`update account set plan = 'FREE' where id = $1`, [account])
  await lookLater()
  expect([await reported(), (await shown()).state]).toEqual([[], 'clear'])
})

test('low credits are reported when they fall below, once until there are enough again', async () => {
  await grantCredits(db, { accountId: account, amount: 120, reference: 'first' })
  await create({ type: 'credits', threshold: '100' })
  const spend = (amount: number, key: string) =>
    db.transaction().execute((trx) => chargeInTransaction(trx, account, amount, key))
  await checkCredits(db)
  await spend(20, 'a')
  await checkCredits(db)
  expect(await shown()).toMatchObject({ state: 'clear', value: '100', direction: 'below' })
  await spend(1, 'b')
  await checkCredits(db)
  await spend(50, 'c')
  await checkCredits(db)
  await grantCredits(db, { accountId: account, amount: 52, reference: 'second' })
  await checkCredits(db)
  await grantCredits(db, { accountId: account, amount: 1, reference: 'third' })
  await checkCredits(db)
  await spend(10, 'd')
  await checkCredits(db)
  // Credits held by a running call count as left: they may be returned.
  await pool.query(`select credit_hold_many(array[$1::bigint], '{50}', '{request}', '{h}', '1 hour')`, [account])
  await checkCredits(db)
  expect(await shown()).toMatchObject({ value: '92' })
  // A watch reports no crossing that precedes it.
  await create({ type: 'credits', threshold: '1000' })
  await checkCredits(db)
  expect(await reported()).toMatchObject([
    { kind: 'credits.low', subject: 'credits', data: { threshold: '100', value: '99' } },
    { kind: 'credits.low', data: { value: '92' } },
  ])
})

test('an airdrop is reported once it can be claimed, and earlier ones are not', async () => {
  const part = (amountRaw: bigint, isClaimable: boolean) => ({ amountRaw, isClaimable })
  const airdrop = (distributor: string, isClaimable: boolean) => ({
    ...{ protocol: { key: 'jupiter', name: 'Jupiter' }, title: 'Jupuary', link: 'https://claim.example' },
    ...{ distributor, mint: 'Mint', parts: [part(1_500_000n, isClaimable), part(7n, false)] },
  })
  const found = { airdrops: [airdrop('D1', true), airdrop('D2', false)], gaps: [] as AirdropGap[] }
  let isDown = false
  const airdrops = async () => {
    if (isDown) throw new UpstreamError('unavailable', 'down')
    const tokens = new Map([['Mint', { chain: 'solana', address: 'Mint', symbol: 'JUP', name: '', decimals: 6 }]])
    return { clock: { slot: 1n, time: 1 }, prices: new Map(), tokens, ...found } as unknown as WalletAirdrops
  }
  const { id } = await create({ type: 'airdrops', address: SOLANA })
  const lookAt = async () => {
    await later(HOUR)
    await checkAirdrops({ db, chain: 'solana', airdrops }, never)
  }
  isDown = true
  await lookAt()
  expect(await shown()).toMatchObject({ state: 'waiting', incomplete: [{ chain: 'solana', reason: 'unreadable' }] })
  isDown = false
  await lookAt()
  expect([await reported(), (await shown()).state]).toEqual([[], 'clear'])
  found.airdrops = [airdrop('D2', true), airdrop('D3', false)]
  found.gaps = [{ protocol: 'wormhole', source: 'w', reason: 'unreadable' }]
  await lookAt()
  // The first one returns: it was seen before.
  found.airdrops = [airdrop('D1', true), airdrop('D2', true)]
  await lookAt()
  const data = { watchId: id, address: SOLANA, chain: 'solana', distributor: 'D2', symbol: 'JUP', amount: '1.5' }
  expect(await reported()).toMatchObject([{ kind: 'airdrop.claimable', subject: `wallet ${SOLANA}`, data }])
  expect((await shown()).incomplete).toEqual([{ chain: 'solana', protocol: 'wormhole', reason: 'unreadable' }])
})

test('watches are of one account, of what is read here, and at most fifty', async () => {
  const { id } = await create(ofNetWorth('below', '1'))
  const other = await accountWith(db, 0)
  await expect(removeWatch(db, { accountId: other, id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(removeWatch(db, { accountId: account, id: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await selectWatches(db, other)).toEqual([])
  const wrong: [NewWatch, string][] = [
    [{ ...ofBirds('above', '1'), chain: 'solana' } as NewWatch, 'chain: is not an enabled chain of the wallet'],
    [{ ...ofBirds('above', '1'), chain: 'gnosis' } as NewWatch, 'chain: is not an enabled chain of the wallet'],
    [{ ...ofBirds('above', '1'), contract: SOLANA } as NewWatch, 'contract: is not an address of Ethereum'],
    [{ type: 'airdrops', address: wallet }, 'address: this service reads no chain with airdrops'],
  ]
  for (const [wanted, message] of wrong) {
    await expect(Promise.resolve().then(() => create(wanted))).rejects.toMatchObject({ message })
  }
  const none = (wanted: NewWatch) => createWatch(db, { chains: [], chainTypes, hasBeacon: false }, account, wanted)
  expect(() => none(ofNetWorth('below', '1'))).toThrow('address: this service does not read wallets of this type')
  expect(() => none({ type: 'validator', validator: '1' })).toThrow('COFFER_BEACON_URL')
  for (let count = 1; count < 50; count += 1) await create({ type: 'credits', threshold: String(count) })
  await expect(create({ type: 'credits', threshold: '9' })).rejects.toMatchObject({ code: 'WATCH_QUOTA_REACHED' })
  await removeWatch(db, { accountId: account, id })
  expect(await selectWatches(db, account)).toHaveLength(49)
})
