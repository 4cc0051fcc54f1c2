import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import { seededRandom } from '../../../../test/random.ts'
import { sized } from '../../../../test/sized.ts'
import { costContextOf } from '../../../../test/stored-steps.ts'
import type { HistoryGap } from '../../../chains/histories.ts'
import type { Address } from '../../../domain/address.ts'
import { type BlockRange, splitRange, withoutRanges } from '../../../domain/block-ranges.ts'
import { decimal, formatDecimal } from '../../../domain/decimal.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import type { Movement, TransactionType, Treatment, WalletTransaction } from '../../../domain/transaction.ts'
import { valueAsset } from '../../../domain/valuation.ts'
import { type TokenGap, type WalletFigures, type WalletPnl, walletPnl } from '../../portfolio/wallet-figures.ts'
import { createBalanceStore } from '../store/balance-store.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createAccountFigures } from './account-figures.ts'
import { findCosts } from './cost-accounts.ts'
import { createScopes } from './scopes.ts'

// Random histories on up to five chains, each with up to two faults. One ledger reads every event, another what nodes
// show. The service knows what the second knows, as the first has it. All else is unknown, with its reason.

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

const GAPS = ['pruned', 'not-offered', 'replaced-chain'] as const
const FAULTS = ['unsearched', 'unpriced', 'traceless', 'unexplained', ...GAPS] as const
type Fault = (typeof FAULTS)[number]

const random = seededRandom('imperfect chains')

const database = await suiteDatabase('imperfect chains')
const { db } = database
const accountId = await accountWith(db, 10)
await db.updateTable('account').set({ cost_method: 'FIFO' }).execute()

/** Whole units and the price of one. Only traces show an inner move. */
type Move = { token: Address; units: bigint; price: bigint; treatment: Treatment; inner?: boolean }
type Event = {
  chain: string
  block: bigint
  type: TransactionType
  recipient: Address
  selector: string
  moves: Move[]
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

const unitsIn = (events: readonly Event[], chain: string, token: Address) =>
  events
    .flatMap((event) => (event.chain === chain ? event.moves : []))
    .reduce((sum, move) => (move.token === token ? sum + move.units : sum), 0n)

/** `cost` of one unit. Null: unknown. */
type Lot = { order: number; units: bigint; cost: bigint | null }

const costOf = (lots: readonly Lot[]) =>
  lots.reduce<bigint | null>((sum, { units, cost }) => (sum === null || cost === null ? null : sum + units * cost), 0n)

/** First in, first out. One unknown cost makes those of its pool unknown. */
function createPools() {
  const pools = new Map<string, Lot[]>()
  return {
    lotsOf: (pool: string) => pools.get(pool) ?? [],
    put(pool: string, lots: readonly Lot[]) {
      const all = [...(pools.get(pool) ?? []), ...lots].sort((one, other) => one.order - other.order)
      pools.set(pool, costOf(all) === null ? all.map((lot) => ({ ...lot, cost: null })) : all)
    },
    take(pool: string, units: bigint): Lot[] {
      let left = units
      const parts = (pools.get(pool) ?? []).map((lot) => {
        const taken = least(lot.units, left)
        left -= taken
        return { lot, taken }
      })
      if (left > 0n) throw new Error('more is taken than is there')
      const sized = (sizeOf: (part: (typeof parts)[number]) => bigint) =>
        parts.map((part) => ({ ...part.lot, units: sizeOf(part) })).filter((lot) => lot.units > 0n)
      pools.set(
        pool,
        sized(({ lot, taken }) => lot.units - taken),
      )
      return sized(({ taken }) => taken)
    },
  }
}

/** In whole dollars. Null: unknown. `gain` is zero but for sales. */
type Figures = { chain: string; token: Address; cost: bigint | null; gain: bigint | null; isSale: boolean }

/** `isDark`: the token may have moved unseen before the block's end. */
type Hidden = { isDark(chain: string, token: Address, block: bigint): boolean; isBridgeDoubted: boolean }

/** What a ledger of these events knows. */
function ledgerOf(events: readonly Event[], { isDark, isBridgeDoubted }: Hidden) {
  const pools = createPools()
  /** By chain, block and place. */
  const figures = new Map<string, Figures>()
  let crossing: Lot[] = []
  const lots = (units: bigint, cost: bigint | null): Lot[] => [{ order: figures.size, units, cost }]
  function leave({ chain, block, recipient, moves }: Event, { token, units, treatment }: Move) {
    const taken = isDark(chain, token, block) ? lots(-units, null) : pools.take(`${chain} ${token}`, -units)
    if (treatment === 'bridge') crossing = taken
    const cost = costOf(taken)
    if (treatment === 'bridge' || recipient !== ROUTER) return { cost, gain: 0n, isSale: false }
    const received = moves.find((move) => move.units > 0n)
    const gain = received && cost !== null ? received.units * received.price - cost : null
    return { cost, gain, isSale: true }
  }
  function enter({ chain, block }: Event, { token, units, price, treatment }: Move) {
    const crossed = isBridgeDoubted ? lots(units, null) : crossing
    const came = treatment === 'bridge' ? crossed : lots(units, price)
    if (!isDark(chain, token, block)) pools.put(`${chain} ${token}`, came)
    return { cost: costOf(came), gain: 0n, isSale: false }
  }
  for (const event of events) {
    for (const [place, move] of event.moves.entries()) {
      const found = move.units < 0n ? leave(event, move) : enter(event, move)
      figures.set(`${event.chain} ${event.block} ${place}`, { chain: event.chain, token: move.token, ...found })
    }
  }
  return { figures, costOf: (chain: string, token: Address) => costOf(pools.lotsOf(`${chain} ${token}`)) }
}

/** Plays events on random chains. Every block has one event of one chain. */
function play(chains: readonly string[]): Event[] {
  const events: Event[] = []
  const held = (chain: string, token: Address) => unitsIn(events, chain, token)
  const add = (chain: string, type: TransactionType, moves: Move[], plainly?: Address) => {
    const call = plainly ? { recipient: plainly, selector: TRANSFER } : { recipient: ROUTER, selector: '0x12345678' }
    events.push({ chain, block: BigInt(events.length + 1), type, ...call, moves })
  }
  const some = (most: bigint) => 1n + BigInt(random.index(Number(most)))
  const receive = (chain: string, token: Address, units: bigint) => {
    const price = token === USD ? 1n : some(9n)
    add(chain, 'TRANSFERIN', [{ token, units, price, treatment: 'acquire', inner: token === NATIVE }])
  }
  for (const chain of chains) receive(chain, USD, 100_000n)
  /** Proceeds are the worth of the received side. */
  const swap = (chain: string, given: Address, received: Address) => {
    const most = held(chain, given)
    if (most === 0n) return
    const price = received === USD ? 1n : some(9n)
    const units = some(20n)
    const gone = given === USD ? units * price : some(least(most, 10n))
    add(chain, 'SWAP', [
      { token: given, units: -gone, price: given === USD ? 1n : some(9n), treatment: 'swap' },
      { token: received, units, price, treatment: 'swap', inner: received === NATIVE },
    ])
  }
  const send = (chain: string, token: Address) => {
    const most = held(chain, token)
    if (most === 0n) return
    const units = some(least(most, 10n))
    add(chain, 'TRANSFEROUT', [{ token, units: -units, price: some(9n), treatment: 'send' }], token)
  }
  const bridge = (from: string) => {
    const to = random.pick(chains)
    const most = held(from, BRIDGED)
    if (to === from || most === 0n) return
    const units = some(least(most, 10n))
    const price = some(9n)
    add(from, 'BRIDGEOUT', [{ token: BRIDGED, units: -units, price, treatment: 'bridge' }])
    add(to, 'BRIDGEIN', [{ token: BRIDGED, units, price, treatment: 'bridge' }])
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

/** `gaps`: blocks that its nodes lack. `silent`: blocks whose inner moves they do not show. */
type Chain = { name: string; faults: readonly Fault[]; gaps: HistoryGap[]; silent: BlockRange[]; seen: Event[] }

function chainOf(name: string, events: readonly Event[], head: bigint): Chain {
  const faults = Array.from({ length: random.index(3) }, () => random.pick(FAULTS))
  const places = {
    pruned: { fromBlock: 0n, toBlock: head / 4n },
    'not-offered': { fromBlock: head / 3n, toBlock: head / 2n },
    'replaced-chain': { fromBlock: (head * 3n) / 4n, toBlock: head },
    traceless: { fromBlock: 0n, toBlock: head },
    unexplained: { fromBlock: (head * 2n) / 3n, toBlock: (head * 2n) / 3n },
  }
  const gaps = GAPS.filter((reason) => faults.includes(reason)).map((reason) => ({ ...places[reason], reason }))
  const silent = (['traceless', 'unexplained'] as const).flatMap((fault) =>
    faults.includes(fault) ? [places[fault]] : [],
  )
  const ofChain = Map.groupBy(
    events.filter((event) => event.chain === name),
    ({ block }) => isIn(unreadable({ gaps }), block),
  )
  // Unseen moves that leave a balance as it was look like none: balances cannot tell them.
  if (faults.includes('not-offered') && isAsBefore(ofChain.get(true) ?? [], name)) return chainOf(name, events, head)
  return { name, faults, gaps, silent, seen: (ofChain.get(false) ?? []).flatMap(shownBy(silent)) }
}

const isAsBefore = (unseen: readonly Event[], chain: string) =>
  unseen.flatMap(({ moves }) => moves).some(({ token }) => token !== NATIVE && unitsIn(unseen, chain, token) === 0n)

const isIn = (ranges: readonly BlockRange[], block: bigint) =>
  ranges.some(({ fromBlock, toBlock }) => fromBlock <= block && block <= toBlock)

const isMissing = ({ faults }: Chain) => faults.includes('unsearched') || faults.includes('unpriced')

const unreadable = ({ gaps }: Pick<Chain, 'gaps'>) => gaps.filter(({ reason }) => reason !== 'replaced-chain')

const shownBy =
  (silent: readonly BlockRange[]) =>
  (event: Event): Event[] => {
    const moves = isIn(silent, event.block) ? event.moves.filter(({ inner }) => !inner) : event.moves
    if (moves.length === 0) return []
    if (event.type !== 'SWAP' || moves.length > 1) return [{ ...event, moves }]
    return [{ ...event, type: 'TRANSFEROUT', moves: moves.map((move) => ({ ...move, treatment: 'send' as const })) }]
  }

const firstOf = (ranges: readonly BlockRange[]) =>
  ranges.map(({ fromBlock }) => fromBlock).sort((one, other) => Number(one - other))[0]

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

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((each) => ({ each, order: random.index(2 ** 30) }))
    .sort((one, other) => one.order - other.order)
    .map(({ each }) => each)

function piecesOf(chain: Chain, head: bigint): { chain: Chain; piece: BlockRange }[] {
  if (chain.faults.includes('unsearched')) return []
  return withoutRanges([{ fromBlock: 0n, toBlock: head }], unreadable(chain))
    .flatMap((range) => splitRange(range, 1n + BigInt(random.index(Number(head)))))
    .map((piece) => ({ chain, piece }))
}

async function savePiece(wallet: Address, { name, silent, seen }: Chain, piece: BlockRange) {
  const found = seen.filter(({ block }) => isIn([piece], block)).map((event) => transactionOf(wallet, event))
  const searched = { ranges: [piece], found, native: withoutRanges([piece], silent) }
  await createHistoryStore(db).save({ wallet, chain: name }, found, searched, async () => undefined)
}

async function endSearch(wallet: Address, { name, faults, gaps, seen }: Chain, head: bigint, balances: Balances) {
  const of = { wallet, chain: name }
  const histories = createHistoryStore(db)
  const moves = seen.flatMap((event) => event.moves.map(({ price }, place) => ({ block: event.block, place, price })))
  await sql`
    update history_movement as movement set price = priced.price, priced_at = now()
    from unnest(${moves.map(({ block }) => block.toString())}::bigint[], ${moves.map(({ place }) => place)}::integer[],
      ${moves.map(({ price }) => price.toString())}::numeric[]) as priced (block, place, price)
    where wallet = ${wallet} and chain = ${name} and movement.block = priced.block
      and movement.place = priced.place`.execute(db)
  await histories.setGaps(of, gaps)
  await histories.setState(of, { number: head, timestamp: START + Number(head) * 60 })
  await createBalanceStore(db).settle(of, head, ({ sums }) =>
    HELD.flatMap((token) => {
      const amountRaw = balances.held(name, token) * UNIT - (sums.get(token) ?? 0n)
      return amountRaw === 0n ? [] : [{ token, amountRaw, debt: false, kind: 'gap' as const }]
    }),
  )
  const pricedAt = faults.includes('unpriced') ? null : new Date()
  for (const table of ['history_movement', 'history_adjustment'] as const) {
    await db
      .updateTable(table)
      .set({ priced_at: pricedAt })
      .where((eb) => eb.and(of))
      .execute()
  }
}

function openFigures(chains: readonly string[]) {
  const costContext = costContextOf(db, {
    ...createScopes(db, { chainsOf: () => chains, nativeOf: () => NATIVE }),
    factsOf: async () => (chain, token) => ({
      ...{ decimals: 18, rebasing: false, listed: true, identity: token === BRIDGED ? token : `${chain} ${token}` },
    }),
  })
  const means = { clock: { now: () => START * 1_000 }, logger: { warn: () => undefined } }
  return createAccountFigures((account, wallet) => findCosts(costContext, account, wallet), means)
}

type Balances = { held(chain: string, token: Address): bigint; unseen(chain: Chain, token: Address): bigint }

/** What the chains hold, and how much of it no shown event explains. */
function balancesOf(events: readonly Event[], chains: readonly Chain[]): Balances {
  const isUnexplained = (name: string) => chains.some((one) => one.name === name && one.faults.includes('unexplained'))
  // One more coin than transactions explain.
  const more = (name: string, token: Address) => (token === NATIVE && isUnexplained(name) ? 1n : 0n)
  const held = (name: string, token: Address) => unitsIn(events, name, token) + more(name, token)
  return { held, unseen: ({ name, seen }, token) => held(name, token) - unitsIn(seen, name, token) }
}

/** By the rules of docs/accounting.md. */
function hiddenIn(chains: readonly Chain[], { unseen }: Balances): Hidden {
  const darkFrom = (chain: Chain, token: Address) => {
    if (token === NATIVE) return firstOf([...unreadable(chain), ...chain.silent])
    return unseen(chain, token) === 0n ? undefined : firstOf(unreadable(chain))
  }
  const since = new Map(
    chains.flatMap((chain) => HELD.map((token) => [`${chain.name} ${token}`, darkFrom(chain, token)] as const)),
  )
  return {
    isDark(chain, token, block) {
      const from = since.get(`${chain} ${token}`)
      return from !== undefined && block >= from
    },
    isBridgeDoubted: chains.some((chain) => isMissing(chain) || unreadable(chain).length > 0),
  }
}

type Ledger = ReturnType<typeof ledgerOf>

type Played = {
  round: number
  wallet: Address
  head: bigint
  chains: readonly Chain[]
  balances: Balances
  hidden: Hidden
  truth: Ledger
  /** Knows what nodes show. */
  reader: Ledger
  figures: WalletFigures | null
}

async function playRound(round: number): Promise<Played> {
  const wallet = random.address()
  const names = CHAINS.slice(0, 1 + random.index(CHAINS.length))
  const events = play(names)
  const head = BigInt(events.length)
  const chains = names.map((name) => chainOf(name, events, head))
  const balances = balancesOf(events, chains)
  for (const { chain, piece } of shuffled(chains.flatMap((each) => piecesOf(each, head)))) {
    await savePiece(wallet, chain, piece)
  }
  for (const chain of shuffled(chains)) {
    if (!chain.faults.includes('unsearched')) await endSearch(wallet, chain, head, balances)
  }
  const hidden = hiddenIn(chains, balances)
  const shown = chains
    .filter((chain) => !isMissing(chain))
    .flatMap(({ seen }) => seen)
    .sort((one, other) => Number(one.block - other.block))
  return {
    round,
    wallet,
    head,
    chains,
    balances,
    hidden,
    truth: ledgerOf(events, { isDark: () => false, isBridgeDoubted: false }),
    reader: ledgerOf(shown, hidden),
    figures: await openFigures(names).get(accountId, wallet, true),
  }
}

/** Why the cost of a token is unknown, if it is. */
function lackOf({ balances, hidden, head, reader }: Played, chain: Chain, token: Address): string {
  if (isMissing(chain)) return 'no-history'
  const isDark = hidden.isDark(chain.name, token, head)
  if (isDark && token !== NATIVE) return 'gap'
  if (isDark) return balances.unseen(chain, token) === 0n ? 'native-unsearched' : 'native-unexplained'
  return reader.costOf(chain.name, token) === null ? 'unknown-cost' : 'known'
}

/** How the cost of each token was known, or the reason. */
function checkCosts(played: Played, pnl: WalletPnl): string[] {
  const { round, chains, balances, truth, reader } = played
  return chains.flatMap((chain) =>
    HELD.filter((token) => balances.held(chain.name, token) > 0n).map((token) => {
      const asset = valueAsset(
        { address: token, symbol: 'T', name: 'T', decimals: 18 },
        decimal(balances.held(chain.name, token).toString()),
        { usd: decimal('1'), source: 'x' },
      )
      const { totalCostBasis, lacks = 'known' } = pnl.ofAsset(chain.name, asset)
      const lack = lackOf(played, chain, token)
      const where = `round ${round}, chain ${chain.name} (${chain.faults.join(', ')}), ${token}`
      expect(lacks, where).toBe(lack)
      const cost = lack === 'known' ? reader.costOf(chain.name, token) : null
      if (cost !== null) expect(cost, where).toBe(truth.costOf(chain.name, token))
      expect(totalCostBasis && formatDecimal(totalCostBasis), where).toBe(cost === null ? null : String(cost))
      return `cost ${lacks}`
    }),
  )
}

const whole = (figure: string | null | undefined) => (figure ? BigInt(decimal(figure).toFixed()) : null)

/** Every movement has the figures of the reader, which are the true ones. */
async function checkMovements({ round, wallet, truth, reader }: Played): Promise<string[]> {
  const { rows } = await sql<{ place: string; cost: string | null; gain: string | null }>`
    select chain || ' ' || block || ' ' || place as place, cost_basis::text as cost, closed_pnl::text as gain
    from accounting_result where wallet = ${wallet}`.execute(db)
  const found = new Map(rows.map(({ place, ...figures }) => [place, figures]))
  expect([...found.keys()].sort()).toEqual([...reader.figures.keys()].sort())
  return [...reader.figures].map(([place, { cost, gain, isSale }]) => {
    const where = `round ${round}, ${place}`
    const [row, real] = [found.get(place), truth.figures.get(place)]
    if (cost !== null) expect(cost, where).toBe(real?.cost)
    if (gain !== null) expect(gain, where).toBe(real?.gain)
    expect([whole(row?.cost), whole(row?.gain)], where).toEqual([cost, gain])
    const known = cost === null ? 'unknown-cost' : 'known'
    if (!isSale) return `movement ${known}`
    return `gain ${cost !== null && gain === null ? 'unpriced' : known}`
  })
}

/** What is left out, with blocks and amounts, and the sum of what is not. */
function checkSums(played: Played, figures: WalletFigures, pnl: WalletPnl) {
  const { round, chains, reader } = played
  const searched = chains.filter((chain) => !isMissing(chain))
  const gaps = searched.flatMap((chain) => tokenGapsOf(played, chain))
  expect(texts(figures.gaps), `round ${round}`).toEqual(texts(gaps))
  const sales = [...reader.figures].filter(([, { isSale }]) => isSale)
  const gains = sales.flatMap(([, { gain }]) => (gain === null ? [] : [gain]))
  const unknown = sales.filter(([, { gain }]) => gain === null)
  const leftOut = [
    ...chains.filter(isMissing).map(({ name }) => ({ reason: 'no-history', chain: name })),
    ...searched.flatMap(chainGapsOf),
    ...unknown.map(([, { chain, token }]) => ({ reason: 'unknown-disposal', chain, contract: token })),
  ]
  expect(texts(pnl.leftOut()), `round ${round}`).toEqual(texts(leftOut))
  const closed = gains.length > 0 || unknown.length === 0 ? gains.reduce((sum, gain) => sum + gain, 0n) : null
  expect(figures.closedPnl && formatDecimal(figures.closedPnl), `round ${round}`).toBe(closed?.toString() ?? null)
}

/** Bigints and decimals as text; in any order. */
const texts = (all: readonly object[]) =>
  new Set(all.map((each) => JSON.stringify(each, (_, value) => (typeof value === 'bigint' ? String(value) : value))))

function tokenGapsOf({ head, balances }: Played, chain: Chain): TokenGap[] {
  const amountOf = (token: Address) => {
    const unseen = balances.unseen(chain, token)
    return unseen === 0n ? null : decimal(unseen.toString())
  }
  const gaps = HELD.filter((token) => token !== NATIVE && amountOf(token)).map(
    (token): TokenGap => ({ chain: chain.name, token, reason: 'gap', block: head, amount: amountOf(token) }),
  )
  const block = firstOf([...unreadable(chain), ...chain.silent])
  if (block === undefined) return gaps
  const amount = amountOf(NATIVE)
  const reason = amount ? 'native-unexplained' : 'native-unsearched'
  return [...gaps, { chain: chain.name, token: NATIVE, reason, block, amount }]
}

function chainGapsOf({ name, gaps }: Chain) {
  const lost = unreadable({ gaps }).map(({ toBlock }) => ({
    reason: 'pruned',
    chain: name,
    block: String(toBlock + 1n),
  }))
  const replaced = gaps.filter(({ reason }) => reason === 'replaced-chain')
  return [
    ...lost.slice(-1),
    ...replaced.map(({ reason, fromBlock }) => ({ reason, chain: name, block: String(fromBlock) })),
  ]
}

test('what a ledger of the shown events knows is known and true; all else is unknown, with its reason', async () => {
  const found: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const played = await playRound(round)
    const { chains, figures } = played
    expect(figures === null).toBe(chains.every(isMissing))
    if (!figures) continue
    const pnl = walletPnl(figures, [])
    found.push(...checkCosts(played, pnl), ...(await checkMovements(played)))
    checkSums(played, figures, pnl)
  }
  const counts = [...Map.groupBy(found, (what) => what)].map(([what, all]) => `${all.length} ${what}`)
  console.info(`imperfect chains: ${counts.join(', ')}`)
  const kinds = ['cost known', 'cost gap', 'gain known', 'gain unknown-cost', 'gain unpriced']
  expect(found).toEqual(expect.arrayContaining(kinds))
})
