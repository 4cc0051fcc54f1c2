import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { LiquidityBudget } from '../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { Holding, ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import type { Clock } from '../../../lib/clock.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { PriceGraph } from '../../../prices/price-graph.ts'
import { type Chain, facesOf } from '../../chain.ts'
import type { Collected, CollectedNow, PastBlock } from '../../collected.ts'
import { lacksBlock } from '../../rpc/json-rpc.ts'
import { amountsOf, askAhead, priceRead, unreported } from '../../shared/price-read.ts'
import { headGaps, uniqueGaps } from '../../shared/protocol-gaps.ts'
import { shareLiquidity } from '../../shared/share-liquidity.ts'
import { unwrapReceipts } from '../../shared/unwrap-receipts.ts'
import type { DiscoveryStore } from '../../stores.ts'
import type { ChainTokens, Tokens } from '../../tokens.ts'
import type { KnownDeployment, ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { AnnouncedReader, EvmReader, PlannedCall, Scan } from '../reader/evm-reader.ts'
import { atOneBlock } from './at-one-block.ts'
import type { Foresight } from './foresight.ts'
import { type Probed, probeContracts, readPositions } from './read-positions.ts'
import { createTrust, type Owners, receiptDirectory, type Trust } from './receipt-directory.ts'
import type { ScannedRows, WalletRows } from './scanned-rows.ts'
import { type FoundKeys, type FurtherScans, keyName, type SearchedKeys, scanSubAccounts } from './wallet-keys.ts'

const tradedOf = new WeakMap<readonly EvmAddress[], ReadonlySet<EvmAddress>>()

function tradedTokens(
  { common, owners }: WalletRows,
  needsMarket: (token: EvmAddress) => boolean,
): ReadonlySet<EvmAddress> {
  const known = tradedOf.get(common)
  if (known) return known
  const traded = new Set(common.filter((token) => !owners.has(token) && needsMarket(token)))
  tradedOf.set(common, traded)
  return traded
}

/** `create-reading.ts` creates it once: its parts remember earlier reads. */
export type CollectContext = {
  stores: { discoveries: DiscoveryStore }
  tokens: Tokens<EvmReader>
  protocolContracts: {
    rowsOf(chain: Chain, encountered: Iterable<Address>): Promise<KnownDeployment[]>
    refused(deployment: ProtocolDeployment, protocolContract: ProtocolContract): void
  }
  keysToSearch(chain: string): SearchedKeys
  prices: PriceGraph<EvmReader>
  openReader(chain: string, plan: readonly PlannedCall[], at?: bigint): EvmReader
  announceReader(chain: string, at?: bigint): AnnouncedReader
  findContracts(chain: string, among: readonly EvmAddress[], block: bigint): Promise<ReadonlySet<EvmAddress>>
  missingOf(chain: string, scan: Scan, holdings: readonly Holding[]): Promise<ReadGap[]>
  scannedRows: ScannedRows
  foresight: Foresight
  alone<T>(read: () => Promise<T>): Promise<T>
  clock: Clock
  log: Logger
}

/** A read without the other wallets would fail in the same way. */
const isOfAll = (error: unknown) =>
  lacksBlock(error) || (error instanceof UpstreamError && error.reason === 'rate-limited')

type Known = WalletRows & { tokens: ChainTokens<EvmReader>; keys: FoundKeys }

/** `at`: a past block, by default the newest. `plan`: for a past block. */
type Asked = {
  chain: Chain
  wallet: EvmAddress
  previous?: Collected | undefined
  at?: PastBlock | undefined
  plan?: Collected['plan'] | undefined
}

/** A failed protocol keeps its earlier positions, marked; a failed node rejects with `UpstreamError`. */
export async function collect(context: CollectContext, asked: Asked): Promise<CollectedNow> {
  const { chain, wallet, previous, at } = asked
  const { foresight } = context
  const ownPlan = previous?.plan ?? asked.plan
  const reader = context.announceReader(chain.key, at?.number)
  try {
    const known = await learn(context, chain, wallet)
    const plan = (ownPlan as PlannedCall[] | undefined) ?? foresight.planOf(chain.key, wallet)
    const read = (open: (plan: readonly PlannedCall[]) => EvmReader) =>
      at
        ? collectWith(context, open(plan), asked, known)
        : atOneBlock({ open, plan }, (reader) => collectWith(context, reader, asked, known))
    const collected = await read(reader.open).catch((error: unknown) => {
      if (!reader.wasShared() || isOfAll(error)) throw error
      return context.alone(() => read((plan) => context.openReader(chain.key, plan, at?.number)))
    })
    if (!ownPlan) foresight.note(chain.key, wallet, collected.plan as PlannedCall[])
    return collected
  } finally {
    reader.leave()
  }
}

async function collectWith(
  { protocolContracts, missingOf, prices, findContracts, clock, log }: CollectContext,
  reader: EvmReader,
  { chain, wallet, previous, at, plan }: Asked,
  known: Known,
): Promise<CollectedNow> {
  const before = previous?.read
  const asOf = at && { asOf: at.timestamp ?? timeOf(reader) }
  const trust = createTrust(known.owners, known.tokens)
  const asUsual = at ? { isWhole: isWholeAt(findContracts, chain, at) } : { refused: protocolContracts.refused }
  const directory = receiptDirectory({ ...known, ...asUsual, owner: wallet }, reader)
  const isFirst = !before && !plan && { isFirst: true as const }
  const session = prices.open({ chain, reader, owner: wallet, ...asOf, ...isFirst }, directory)
  reader.expectHeld(tradedTokens(known, session.needsMarket))
  const [scan, probed, further] = await Promise.all([
    reader.scan(wallet, known.common, known.own),
    probeContracts(known.rows, reader, wallet),
    scanSubAccounts(known.rows, reader, wallet, known.keys),
  ])
  const { holdings: held, gaps } = holdingsOf(scan, known.owners, trust, before)
  const heldTokens = held.map(({ token }) => token)
  const staked = tokensInside(known.owners, scan, probed, further)
  const learnTokens = (some: readonly Address[]) => known.tokens.learn(reader, some)
  const pricing = askAhead(session, known.tokens, [...held, ...staked])
  const sources = { reader, wallet, scan, probed, further, keys: known.keys, before, log, ...asUsual }
  const [found] = await Promise.all([
    readPositions(known.rows, { ...sources, isTrusted: trust.protocolContract }),
    // Issued early; `openReceipts` sees their failures.
    Promise.allSettled(staked.map(({ token, amountRaw }) => amountRaw > 0n && directory.decompose(token, amountRaw))),
    learnTokens(heldTokens),
  ])
  // Without its position, the wallet shows the token itself.
  const holdings = held.map((holding) =>
    found.unreported.has(holding.token) ? { ...holding, receipt: false } : holding,
  )
  const budget = new LiquidityBudget()
  const shared = shareLiquidity(found, budget)
  const opening = unwrapReceipts(shared.positions, {
    directory,
    session,
    learn: learnTokens,
    budget,
    before: before?.positions,
  })
  const [positions] = await Promise.all([opening, pricing])
  const inside = positions.flatMap(amountsOf)
  await learnTokens(tokensOf(inside))
  const amounts = inside.map((amount) => ({ ...amount, receipt: isReceipt(known.owners, amount.token) }))
  const priced = await priceRead(session, known.tokens, { holdings, inside: amounts, before: before?.prices, budget })
  const header = await reader.header()
  const missing = at ? [] : await missingOf(chain.key, scan, holdings)
  const ofNow = at ? [] : [...headGaps(chain, header.timestamp, clock), ...missing]
  const unread = unreported(positions, known.tokens, trust)
  const involved = new Set([...heldTokens, ...tokensOf(inside)])
  return {
    hash: header.hash,
    asked: new Set([...known.common, ...known.own, ...facesOf(chain), ...known.keys.keys.map(keyName)]),
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
      gaps: uniqueGaps([...ofNow, ...gaps, ...shared.gaps, ...priced.gaps, ...unread]),
    },
  }
}

const timeOf = (reader: EvmReader) => seenLater(reader.header().then(({ timestamp }) => timestamp))

async function learn(context: CollectContext, chain: Chain, wallet: EvmAddress): Promise<Known> {
  const { discoveries } = context.stores
  const [discovered, keys, tokens] = await Promise.all([
    discoveries.findTokens(wallet, chain.key),
    discoveries.findKeys({ wallet, chain: chain.key }, context.keysToSearch(chain.key).contracts),
    context.tokens.of(chain),
  ])
  const [all] = await Promise.all([context.protocolContracts.rowsOf(chain, discovered), tokens.load(discovered)])
  return { ...context.scannedRows.of(chain, all, discovered), keys, tokens }
}

const tokensOf = (amounts: readonly TokenAmount[]) => amounts.map(({ token }) => token)

function isWholeAt(findContracts: CollectContext['findContracts'], chain: Chain, { number }: PastBlock) {
  return async (deployment: ProtocolDeployment) => {
    const there = await findContracts(chain.key, deployment.contracts, number)
    return there.size === deployment.contracts.length
  }
}

function tokensInside(owners: Owners, { balances }: Scan, { found }: Probed, further: FurtherScans): Holding[] {
  const ofOwners = [...further.values()].flatMap((row) => row.owners)
  const beside = new Set(ofOwners.flatMap(({ scan }) => [...scan.balances.keys()]))
  return [...new Set([...balances.keys(), ...found, ...beside])].flatMap((address) => {
    const protocolContract = owners.get(address)?.protocolContract
    if (!protocolContract) return []
    const { fungible, underlyings, alsoShown = [] } = protocolContract
    const amountRaw = fungible ? 0n : (balances.get(address) ?? 0n)
    const shown = fungible && !beside.has(address) ? alsoShown : [...underlyings, ...alsoShown]
    return shown.map((token) => ({ token, amountRaw, receipt: isReceipt(owners, token) }))
  })
}

const isReceipt = (owners: Owners, token: Address) => owners.get(token)?.protocolContract.fungible ?? false

/** A trusted token that fails keeps its last amount, marked. An untrusted one only with it: then the node failed. */
function holdingsOf(scan: Scan, owners: Owners, trust: Trust, before: WalletRead | undefined) {
  const native = scan.nativeRaw > 0n ? [{ token: NATIVE, amountRaw: scan.nativeRaw, receipt: false }] : []
  const holdings = [...scan.balances].flatMap(([token, amountRaw]): Holding[] => {
    const owner = owners.get(token)
    return owner && !owner.protocolContract.fungible ? [] : [{ token, amountRaw, receipt: owner !== undefined }]
  })
  const failed = (before?.holdings ?? []).filter(({ token }) => scan.failed.has(token as EvmAddress))
  const kept = failed.some(({ token }) => trust.token(token)) ? failed : []
  const gaps: ReadGap[] = kept.length > 0 ? [{ reason: 'stale' }] : []
  return { holdings: [...native, ...holdings, ...kept], gaps }
}
