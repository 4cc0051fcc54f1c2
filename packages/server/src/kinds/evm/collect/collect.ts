import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { Token } from '../../../domain/token.ts'
import type { Holding, ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { PriceGraph } from '../../../prices/price-graph.ts'
import { type Chain, facesOf } from '../../chain.ts'
import { amountsOf, untold } from '../../collect/inside-positions.ts'
import { openAhead, openReceipts } from '../../collect/open-receipts.ts'
import { askAhead, priceRead } from '../../collect/price-read.ts'
import { headGaps, uniqueGaps } from '../../collect/protocol-gaps.ts'
import type { Collected, CollectedNow, PastBlock } from '../../collected.ts'
import type { DiscoveryStore } from '../../stores.ts'
import type { ChainTokens, ListedTokens, Tokens } from '../../tokens.ts'
import type { Adapter } from '../families/family.ts'
import type { EvmReader, PlannedCall, Scan } from '../reader/evm-reader.ts'
import { atOneBlock } from './at-one-block.ts'
import { type FurtherScans, scanFurtherOwners } from './further-owners.ts'
import type { Instruments, KnownAdapter } from './instruments.ts'
import { type Probed, probeInstruments } from './probe-instruments.ts'
import { readPositions } from './read-positions.ts'
import { type Owners, ownersOf, receiptBook } from './receipt-book.ts'
import type { RefusingTokens } from './refusing-tokens.ts'
import { type FoundKeys, keyName, type SearchedKeys } from './wallet-keys.ts'

type Dependencies = {
  openReader(chain: string, plan: readonly PlannedCall[], at?: bigint): EvmReader
  catalog: Pick<ListedTokens, 'list'>
  tokens: Tokens<EvmReader>
  discoveries: Pick<DiscoveryStore, 'findTokens' | 'findKeys'>
  instruments: Pick<Instruments, 'rowsOf' | 'refused'>
  /** What the rows of a chain want searched. */
  keysToSearch(chain: string): SearchedKeys
  refusingTokens: RefusingTokens
  prices: PriceGraph<EvmReader>
  /** Those of the addresses at which there was a contract at a past block. */
  findContracts(chain: string, among: readonly EvmAddress[], block: bigint): Promise<ReadonlySet<EvmAddress>>
  clock: Clock
  log: Logger
}

/** Data loaded before the first call, so that no wave of calls has to wait for it. */
type Known = {
  rows: KnownAdapter[]
  tokens: ChainTokens<EvmReader>
  discovered: EvmAddress[]
  keys: FoundKeys
  owners: Owners
}

type Sought = {
  chain: Chain
  wallet: EvmAddress
  known: Known
  before: WalletRead | undefined
  at: PastBlock | undefined
}

/**
 * Reads a wallet on one chain at one block: scan and feeds in the first wave, positions and pools in the second. A
 * failed protocol keeps the positions of the read before, marked; a failed node rejects with `UpstreamError`. With
 * `at`, reads and prices the wallet at a past block.
 */
export function createCollect(dependencies: Dependencies) {
  const { openReader, catalog, instruments, refusingTokens, prices, findContracts, clock, log } = dependencies
  const learn = createLearn(dependencies)

  return async function collect(
    chain: Chain,
    wallet: EvmAddress,
    previous?: Collected,
    at?: PastBlock,
  ): Promise<CollectedNow> {
    const known = await learn(chain, wallet)
    const open = (plan: readonly PlannedCall[]) => openReader(chain.key, plan, at?.number)
    const plan = (previous?.plan ?? []) as PlannedCall[]
    const sought = { chain, wallet, known, before: previous?.read, at }
    if (at) return collectWith(open(plan), sought)
    return atOneBlock({ open, plan }, (reader) => collectWith(reader, sought))
  }

  async function collectWith(reader: EvmReader, { chain, wallet, known, before, at }: Sought): Promise<CollectedNow> {
    const asOf = at && { asOf: at.timestamp }
    let scanned: Scan | undefined
    const heldOf = (token: Address) => scanned?.balances.get(token as EvmAddress)
    const book = receiptBook({ ...known, heldOf }, reader)
    const session = prices.open({ chain, reader, owner: wallet, ...asOf }, book)
    const asked = addressesToScan(chain, catalog.list(chain.key), known)
    const { scan, probed, further } = await lookAround(known, reader, wallet, asked)
    scanned = scan
    const { holdings, gaps } = holdingsOf(scan, known.owners, before)

    const held = holdings.map((holding) => holding.token)
    const staked = tokensInside(known.owners, scan, probed, further)
    const learnTokens = (some: readonly Address[]) => known.tokens.learn(reader, some)
    // A price that takes a wave more shares it with what opens receipts.
    const pricing = askAhead(session, known.tokens, [...holdings, ...staked])
    const [found] = await Promise.all([
      readPositions(known.rows, {
        ...{ reader, wallet, scan, probed, further, before, log, keys: known.keys },
        ...(at ? { isWhole: isWholeAt(findContracts, chain, at) } : { refused: instruments.refused }),
      }),
      openAhead(book, staked),
      learnTokens(held),
    ])
    const opening = openReceipts(found.positions, { book, session, learn: learnTokens, before })
    const [positions] = await Promise.all([opening, pricing])
    const inside = positions.flatMap(amountsOf)
    await learnTokens(tokensOf(inside))
    const amounts = inside.map((amount) => ({ ...amount, receipt: isReceipt(known.owners, amount.token) }))
    const priced = await priceRead(session, known.tokens, { holdings, inside: amounts, before })
    const header = await reader.header()
    const missing = at ? [] : await refusingTokens.missingOf(chain.key, scan, holdings)
    const ofNow = at ? [] : [...headGaps(chain, header.timestamp, clock), ...missing]
    const involved = new Set([...held, ...tokensOf(inside)])
    return {
      hash: header.hash,
      asked: new Set([...asked, ...facesOf(chain), ...known.keys.keys.map(keyName)]),
      plan: reader.plan(),
      read: {
        chain: chain.key,
        wallet,
        block: header.number,
        blockTime: header.timestamp,
        readAt: clock.now(),
        holdings,
        positions,
        tokens: [...involved].flatMap((address) => known.tokens.find(address) ?? []),
        prices: priced.prices,
        gaps: uniqueGaps([...ofNow, ...gaps, ...found.gaps, ...priced.gaps, ...untold(positions, known.tokens)]),
      },
    }
  }
}

function createLearn({
  instruments,
  discoveries,
  tokens,
  keysToSearch,
}: Pick<Dependencies, 'instruments' | 'discoveries' | 'tokens' | 'keysToSearch'>) {
  return async (chain: Chain, wallet: EvmAddress): Promise<Known> => {
    const [discovered, keys, ofChain] = await Promise.all([
      discoveries.findTokens(wallet, chain.key),
      discoveries.findKeys({ wallet, chain: chain.key }, keysToSearch(chain.key).contracts),
      tokens.of(chain),
    ])
    const [all] = await Promise.all([instruments.rowsOf(chain, discovered), ofChain.load(discovered)])
    const sent = new Set(discovered)
    const rows = all.map((row) => withSent(row, sent))
    const owners = ownersOf(rows)
    return { rows: rows.map((row) => withOwn(row, owners)), discovered, keys, tokens: ofChain, owners }
  }
}

/** What lies at the wallet and at its further owners. Every read leaves with the first wave. */
async function lookAround(known: Known, reader: EvmReader, wallet: EvmAddress, asked: readonly EvmAddress[]) {
  const [scan, probed, further] = await Promise.all([
    reader.scan(wallet, asked),
    probeInstruments(known.rows, reader, wallet),
    scanFurtherOwners(known.rows, reader, wallet, known.keys),
  ])
  return { scan, probed, further }
}

const tokensOf = (amounts: readonly TokenAmount[]) => amounts.map(({ token }) => token)

function addressesToScan(
  chain: Pick<Chain, 'nativeErc20s' | 'secondFaces'>,
  listed: readonly Pick<Token, 'address'>[],
  { owners, discovered }: Pick<Known, 'owners' | 'discovered'>,
): EvmAddress[] {
  const telling = [...owners].flatMap(([address, { adapter }]) => (adapter.probedOnly ? [] : [address]))
  const unique = new Set<Address>([...listed.map(({ address }) => address), ...telling, ...discovered])
  for (const address of [NATIVE, ...facesOf(chain)]) unique.delete(address)
  return [...unique] as EvmAddress[]
}

function isWholeAt(findContracts: Dependencies['findContracts'], chain: Chain, { number }: PastBlock) {
  return async (adapter: Adapter) => {
    const there = await findContracts(chain.key, adapter.contracts, number)
    return there.size === adapter.contracts.length
  }
}

/** Removes unvouched contracts whose token was never sent to the wallet, for families that count sent tokens only. */
function withSent({ adapter, instruments }: KnownAdapter, sent: ReadonlySet<EvmAddress>): KnownAdapter {
  if (!adapter.countsWhereSent) return { adapter, instruments }
  const own = instruments?.filter((instrument) => adapter.vouches(instrument) || sent.has(instrument.address))
  return { adapter, instruments: own }
}

/** Removes contracts that a later row names too. */
function withOwn({ adapter, instruments }: KnownAdapter, owners: Owners): KnownAdapter {
  return { adapter, instruments: instruments?.filter(({ address }) => owners.get(address)?.adapter === adapter) }
}

/**
 * Tokens that positions will show, as far as their instruments name them; they may be receipts themselves. The amount is
 * that of a stake, if the instrument is one: prices are asked for whatever it is.
 */
function tokensInside(owners: Owners, { balances }: Scan, { found }: Probed, further: FurtherScans): Holding[] {
  const beside = new Set(
    [...further.values()].flatMap((row) => row.owners.flatMap(({ scan }) => [...scan.balances.keys()])),
  )
  return [...new Set([...balances.keys(), ...found, ...beside])].flatMap((address) => {
    const instrument = owners.get(address)?.instrument
    if (!instrument) return []
    const { fungible, underlyings, alsoShown = [] } = instrument
    const amountRaw = fungible ? 0n : (balances.get(address) ?? 0n)
    const shown = fungible && !beside.has(address) ? alsoShown : [...underlyings, ...alsoShown]
    return shown.map((token) => ({ token, amountRaw, receipt: isReceipt(owners, token) }))
  })
}

const isReceipt = (owners: Owners, token: Address) => owners.get(token)?.instrument.fungible ?? false

/**
 * What the wallet holds directly. A token whose balance fails now but was held before keeps its last amount, marked; an
 * instrument that is no token of value (a debt, a position manager) is not a holding.
 */
function holdingsOf(
  scan: Scan,
  owners: Owners,
  before: WalletRead | undefined,
): { holdings: Holding[]; gaps: ReadGap[] } {
  const native = scan.nativeRaw > 0n ? [{ token: NATIVE, amountRaw: scan.nativeRaw, receipt: false }] : []
  const holdings = [...scan.balances].flatMap(([token, amountRaw]): Holding[] => {
    const owner = owners.get(token)
    return owner && !owner.instrument.fungible ? [] : [{ token, amountRaw, receipt: owner !== undefined }]
  })
  const kept = (before?.holdings ?? []).filter(({ token }) => scan.failed.has(token as EvmAddress))
  return { holdings: [...native, ...holdings, ...kept], gaps: kept.length > 0 ? [{ reason: 'stale' }] : [] }
}
