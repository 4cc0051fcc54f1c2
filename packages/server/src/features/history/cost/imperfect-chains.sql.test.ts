import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { seededRandom } from '../../../../test/random.ts'
import { sized } from '../../../../test/sized.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { decimal, formatDecimal } from '../../../domain/decimal.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import type { Movement, TransactionType, Treatment, WalletTransaction } from '../../../domain/transaction.ts'
import { valueAsset } from '../../../domain/valuation.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { type WalletFigures, type WalletPnl, walletPnl } from '../../portfolio/wallet-figures.ts'
import { createBalanceStore } from '../store/balance-store.ts'
import { changedSince, lastChanges } from '../store/history-changes.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createAccountFigures } from './account-figures.ts'
import { createAccountingStore } from './accounting-store.ts'
import { createCostAccounts } from './cost-accounts.ts'
import { createScopes } from './scopes.ts'

// Random histories on up to five chains, each imperfect in its own way. The test's ledger sees everything and gives
// each figure. A figure of the service equals it, or is unknown with a true reason.

const ROUNDS = sized({ small: 10, deep: 1_000 })
const CHAINS = ['a', 'b', 'c', 'd', 'e'] as const
const EVENTS = 40
const START = 1_800_000_000
const UNIT = 10n ** 18n
const ROUTER: Address = `0x${'5'.repeat(40)}`
const OUTSIDE: Address = `0x${'9'.repeat(40)}`
const TRANSFER = '0xa9059cbb'
const USD: Address = `0x${'d'.repeat(40)}`
const TOKENS: readonly Address[] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
/** The same coin on every chain. */
const BRIDGED: Address = `0x${'3'.repeat(40)}`
const HELD: readonly Address[] = [NATIVE, USD, BRIDGED, ...TOKENS]

const FAULTS = ['none', 'unsearched', 'unpriced', 'pruned', 'traceless', 'unexplained'] as const
type Fault = (typeof FAULTS)[number]

const random = seededRandom('imperfect chains')

let database: Awaited<ReturnType<typeof testDatabase>>
let accountId: string
beforeAll(async () => {
  database = await testDatabase('imperfect chains')
  const account = { name: 'x', plan: 'FREE', entitlements: ['portfolio'], credits: 10 } as const
  accountId = (await createAccount(database.db, account)).id
  await database.db.updateTable('account').set({ cost_method: 'FIFO' }).execute()
})
afterAll(() => database.drop())

/** Whole units, price of one unit, and the node's view without traces. */
type Move = { token: Address; units: bigint; price: bigint; treatment: Treatment; inner?: boolean }
type Event = {
  chain: string
  block: bigint
  type: TransactionType
  recipient: Address
  selector: string
  moves: Move[]
}

/** First in, first out, in whole dollars. Knows all events. */
function createTruth() {
  const pools = new Map<string, { order: number; units: bigint; cost: bigint }[]>()
  /** Realised USD of movements, by chain, block and place. */
  const gains = new Map<string, bigint>()
  let order = 0
  const poolOf = (chain: string, token: Address) => {
    const key = `${chain} ${token}`
    const pool = pools.get(key) ?? []
    pools.set(key, pool)
    return pool
  }
  function take(chain: string, token: Address, units: bigint) {
    const pool = poolOf(chain, token)
    const taken: typeof pool = []
    for (let left = units; left > 0n; ) {
      const lot = pool[0]
      if (!lot) throw new Error('more is taken than is there')
      const part = least(lot.units, left)
      taken.push({ ...lot, units: part })
      lot.units -= part
      left -= part
      if (lot.units === 0n) pool.shift()
    }
    return taken
  }
  const costOf = (lots: { units: bigint; cost: bigint }[]) =>
    lots.reduce((sum, { units, cost }) => sum + units * cost, 0n)
  return {
    gains,
    held: (chain: string, token: Address) => poolOf(chain, token).reduce((sum, { units }) => sum + units, 0n),
    cost: (chain: string, token: Address) => costOf(poolOf(chain, token)),
    give(chain: string, token: Address, units: bigint, cost: bigint) {
      poolOf(chain, token).push({ order: order++, units, cost })
    },
    drop: (chain: string, token: Address, units: bigint) => void take(chain, token, units),
    sell(chain: string, token: Address, units: bigint, proceeds: bigint, place: string) {
      gains.set(place, proceeds - costOf(take(chain, token, units)))
    },
    bridge(from: string, to: string, token: Address, units: bigint) {
      const pool = poolOf(to, token)
      pool.push(...take(from, token, units))
      pool.sort((one, other) => one.order - other.order)
    },
  }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

type Truth = ReturnType<typeof createTruth>

/** Plays events on random chains. Every block has one event of one chain. */
function play(chains: readonly string[], truth: Truth): Event[] {
  const events: Event[] = []
  let block = 0n
  const add = (chain: string, type: TransactionType, moves: Move[], plainly?: Address) => {
    block += 1n
    const call = plainly ? { recipient: plainly, selector: TRANSFER } : { recipient: ROUTER, selector: '0x12345678' }
    events.push({ chain, block, type, ...call, moves })
    return (place: number) => `${chain} ${block} ${place}`
  }
  const some = (most: bigint) => 1n + BigInt(random.index(Number(most)))
  const receive = (chain: string, token: Address, units: bigint) => {
    const price = token === USD ? 1n : some(9n)
    add(chain, 'TRANSFERIN', [{ token, units, price, treatment: 'acquire', inner: token === NATIVE }])
    truth.give(chain, token, units, price)
  }
  for (const chain of chains) receive(chain, USD, 100_000n)
  /** Proceeds are the worth of the received side. */
  const swap = (chain: string, given: Address, received: Address) => {
    const held = truth.held(chain, given)
    if (held === 0n) return
    const price = received === USD ? 1n : some(9n)
    const units = some(20n)
    const gone = given === USD ? units * price : some(held < 10n ? held : 10n)
    const place = add(chain, 'SWAP', [
      { token: given, units: -gone, price: given === USD ? 1n : some(9n), treatment: 'swap' },
      { token: received, units, price, treatment: 'swap', inner: received === NATIVE },
    ])
    truth.sell(chain, given, gone, units * price, place(0))
    truth.give(chain, received, units, price)
  }
  const send = (chain: string, token: Address) => {
    const held = truth.held(chain, token)
    if (held === 0n) return
    const units = some(held < 10n ? held : 10n)
    add(chain, 'TRANSFEROUT', [{ token, units: -units, price: some(9n), treatment: 'send' }], token)
    truth.drop(chain, token, units)
  }
  const bridge = (from: string) => {
    const to = random.pick(chains)
    const held = truth.held(from, BRIDGED)
    if (to === from || held === 0n) return
    const units = some(held < 10n ? held : 10n)
    const price = some(9n)
    add(from, 'BRIDGEOUT', [{ token: BRIDGED, units: -units, price, treatment: 'bridge' }])
    add(to, 'BRIDGEIN', [{ token: BRIDGED, units, price, treatment: 'bridge' }])
    truth.bridge(from, to, BRIDGED, units)
  }
  for (let i = 0; i < EVENTS * chains.length; i += 1) {
    const chain = random.pick(chains)
    const token = random.pick([...TOKENS, BRIDGED])
    const plays = [
      () => receive(chain, token, some(20n)),
      () => receive(chain, NATIVE, some(20n)),
      () => swap(chain, USD, token),
      () => swap(chain, token, USD),
      () => swap(chain, NATIVE, token),
      () => swap(chain, token, NATIVE),
      () => send(chain, token),
      () => bridge(chain),
    ]
    random.pick(plays)()
  }
  return events
}

/** The events of a chain that its nodes show. `from`: their first block. */
function shown(events: readonly Event[], fault: Fault, from: bigint): Event[] {
  const kept = events.filter(({ block }) => block >= from)
  if (fault !== 'traceless') return kept
  return kept.flatMap((event) => {
    const moves = event.moves.filter(({ inner }) => !inner)
    const isOneSided = event.type === 'SWAP' && moves.length === 1
    if (moves.length === 0) return []
    return [
      isOneSided
        ? { ...event, type: 'TRANSFEROUT', moves: moves.map((move) => ({ ...move, treatment: 'send' as const })) }
        : { ...event, moves },
    ]
  })
}

function transactionOf(wallet: Address, { chain, block, type, recipient, selector, moves }: Event): WalletTransaction {
  return {
    hash: `0x${chain}${block}`,
    block,
    blockHash: `0xb${block}`,
    index: 0,
    time: START + Number(block) * 60,
    from: wallet,
    to: recipient,
    selector,
    succeeded: true,
    feeRaw: 0n,
    type,
    protocol: null,
    movements: moves.map(({ token, units, treatment }): Movement => {
      const amountRaw = units * UNIT
      return { token, tokenId: null, amountRaw, counterparty: OUTSIDE, debt: false, leg: 0, treatment }
    }),
  }
}

async function store(
  wallet: Address,
  chain: string,
  events: readonly Event[],
  fault: Fault,
  head: bigint,
  truth: Truth,
) {
  const [of, { db }] = [{ wallet, chain }, database]
  if (fault === 'unsearched') return
  const from = fault === 'pruned' ? head / 3n : 0n
  const hole = head / 2n
  const found = shown(events, fault, from)
  const kept = [{ fromBlock: from, toBlock: head }]
  const withHole = [
    { fromBlock: 0n, toBlock: hole - 1n },
    { fromBlock: hole + 1n, toBlock: head },
  ]
  const shownNative: Partial<Record<Fault, BlockRange[]>> = { traceless: [], unexplained: withHole }
  const native = shownNative[fault] ?? kept
  const histories = createHistoryStore(db)
  const transactions = found.map((event) => transactionOf(wallet, event))
  await histories.save(of, transactions, { ranges: kept, found: transactions, native }, async () => undefined)
  if (from > 0n) await histories.setGaps(of, [{ fromBlock: 0n, toBlock: from - 1n, reason: 'pruned' }])
  await histories.setState(of, { number: head, timestamp: START + Number(head) * 60 })
  for (const { block, moves } of found) {
    for (const [place, { price }] of moves.entries()) {
      await sql`update history_movement set price = ${price.toString()}::numeric, priced_at = now()
        where wallet = ${wallet} and chain = ${chain} and block = ${block} and place = ${place}`.execute(db)
    }
  }
  // One more coin than transactions explain.
  if (fault === 'unexplained') truth.give(chain, NATIVE, 1n, 0n)
  await createBalanceStore(db).settle(of, head, ({ sums }) =>
    HELD.flatMap((token) => {
      const amountRaw = truth.held(chain, token) * UNIT - (sums.get(token) ?? 0n)
      return amountRaw === 0n ? [] : [{ token, amountRaw, debt: false, kind: 'gap' as const }]
    }),
  )
  await sql`update history_adjustment set priced_at = now() where wallet = ${wallet}`.execute(db)
  if (fault === 'unpriced') {
    await sql`update history_movement set priced_at = null where wallet = ${wallet} and chain = ${chain}`.execute(db)
  }
}

function openFigures(chains: readonly string[]) {
  const { db } = database
  const accounts = createCostAccounts({
    store: createAccountingStore(db),
    ...createScopes(db, { chainsOf: () => chains, nativeOf: () => NATIVE }),
    lastChanges: (wallets) => lastChanges(db, wallets),
    changedSince: (wallet, seen) => changedSince(db, wallet, seen),
    factsOf: async () => (chain, token) => ({
      decimals: 18,
      rebasing: false,
      listed: true,
      identity: token === BRIDGED ? token : `${chain} ${token}`,
    }),
  })
  return createAccountFigures({
    accounts,
    clock: { now: () => START * 1_000 } as never,
    log: { warn: () => undefined },
  })
}

/** Possible reasons for a token. Undefined: its cost must be known. */
function reasonsFor(fault: Fault, token: Address, isBridgeDoubted: boolean): readonly string[] | undefined {
  if (isMissing(fault)) return ['no-history']
  if (token === NATIVE && fault !== 'none') return ['native-unsearched', 'native-unexplained']
  if (fault === 'pruned') return ['gap', 'unknown-cost']
  return token === BRIDGED && isBridgeDoubted ? ['unknown-cost'] : undefined
}

const isMissing = (fault: Fault) => fault === 'unsearched' || fault === 'unpriced'

type Played = {
  round: number
  wallet: Address
  faults: ReadonlyMap<string, Fault>
  truth: Truth
  figures: WalletFigures | null
}

async function playRound(round: number): Promise<Played> {
  const wallet = random.address()
  const chains = CHAINS.slice(0, 1 + random.index(CHAINS.length))
  const truth = createTruth()
  const events = play(chains, truth)
  const head = BigInt(events.length)
  const faults = new Map(chains.map((chain) => [chain, random.pick(FAULTS)]))
  for (const [chain, fault] of faults) {
    const ofChain = events.filter((event) => event.chain === chain)
    await store(wallet, chain, ofChain, fault, head, truth)
  }
  return { round, wallet, faults, truth, figures: await openFigures(chains).get(accountId, wallet, true) }
}

/** If a chain lacks a part of its history, the cost of bridged tokens is unknown. */
const isBridgeDoubted = ({ faults }: Played) =>
  [...faults.values()].some((fault) => isMissing(fault) || fault === 'pruned')

/** How the cost of each token was known, or the reason. */
function checkCosts(played: Played, pnl: WalletPnl): string[] {
  const { round, faults, truth } = played
  return [...faults].flatMap(([chain, fault]) =>
    HELD.filter((token) => truth.held(chain, token) > 0n).map((token) => {
      const asset = valueAsset(
        { address: token, symbol: 'T', name: 'T', decimals: 18 },
        decimal(truth.held(chain, token).toString()),
        { usd: decimal('1'), source: 'x' },
      )
      const { totalCostBasis, lacks = 'known' } = pnl.ofAsset(chain, asset)
      const where = `round ${round}, chain ${chain} (${fault}), ${token}: ${lacks}`
      if (totalCostBasis) expect(formatDecimal(totalCostBasis), where).toBe(String(truth.cost(chain, token)))
      else expect(reasonsFor(fault, token, isBridgeDoubted(played)), where).toContain(lacks)
      return `cost ${lacks}`
    }),
  )
}

/** Known gains of sales. Every known gain is the true one. */
async function checkGains(played: Played, figures: WalletFigures): Promise<string[]> {
  const { round, wallet, faults, truth } = played
  const { rows } = await sql<{ chain: string; place: string; gain: string | null }>`
    select chain, chain || ' ' || block || ' ' || place as place, closed_pnl::text as gain from accounting_result
    where wallet = ${wallet}`.execute(database.db)
  const known = rows.flatMap(({ gain, place }) => (gain === null ? [] : [{ place, gain: decimal(gain).toFixed() }]))
  for (const { place, gain } of known)
    expect(gain, `round ${round}, ${place}`).toBe(String(truth.gains.get(place) ?? 0n))
  const sum = known.reduce((total, { gain }) => total + BigInt(gain), 0n)
  if (figures.closedPnl) expect(formatDecimal(figures.closedPnl)).toBe(String(sum))
  const unknown = rows.filter(({ chain, gain }) => gain === null && faults.get(chain) === 'none')
  if (!isBridgeDoubted(played)) expect(unknown, `round ${round}`).toEqual([])
  return rows.flatMap(({ place, gain }) => {
    if (!truth.gains.has(place)) return []
    return [gain === null ? 'gain unknown' : 'gain known']
  })
}

test('every figure is what a ledger that sees everything says, or unknown for a true reason', async () => {
  const found: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const played = await playRound(round)
    const { faults, figures } = played
    expect(figures === null).toBe([...faults.values()].every(isMissing))
    if (!figures) continue
    const pnl = walletPnl(figures, [])
    found.push(...checkCosts(played, pnl), ...(await checkGains(played, figures)))
    const named = pnl.leftOut().map(({ reason, chain }) => `${chain} ${reason}`)
    for (const [chain, fault] of faults) {
      if (isMissing(fault)) expect(named).toContain(`${chain} no-history`)
      if (fault === 'pruned') expect(named).toContain(`${chain} pruned`)
    }
  }
  const counts = [...Map.groupBy(found, (what) => what)].map(([what, all]) => `${all.length} ${what}`)
  console.info(`imperfect chains: ${counts.join(', ')}`)
  for (const what of ['cost known', 'gain known', 'gain unknown']) expect(found).toContain(what)
})
