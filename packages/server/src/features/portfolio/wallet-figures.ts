import type { PnlIncompleteItem, PnlReason } from '@coffer/contract'
import { apportion } from '../../domain/accounting/apportion.ts'
import { openPnl, type Pnl, type PoolFigures, sumPnl } from '../../domain/accounting/pnl.ts'
import { contractOfKeyed, isKeyed, keyedPosition } from '../../domain/accounting/state.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, formatDecimal, sum, ZERO } from '../../domain/decimal.ts'
import { totalOf, type ValuedAsset, type ValuedPosition, type ValuedRead } from '../../domain/valuation.ts'

export type TokenGap = {
  chain: string
  token: Address
  reason: 'gap' | 'native-unexplained' | 'native-unsearched'
  block: bigint
  /** In token units; null if the amount or the decimals are unknown. */
  amount: Decimal | null
}

/** `block`: for `pruned` the first known one, else the first in doubt. */
export type ChainGap = { chain: string; reason: 'pruned' | 'replaced-chain'; block: bigint }

/** In USD, except `feesRaw` in base units. `closedPnl` excludes `unknownDisposals`. `version` changes with any. */
export type WalletFigures = BookedPools & {
  version: string
  income: Decimal
  expense: Decimal
  feesRaw: bigint
  feesUsd: Decimal
  closedPnl: Decimal | null
  /** Nothing is known yet. */
  isComputing?: true
}

/** `missing`: chains whose history is not searched and priced. */
type BookedPools = {
  unknownDisposals: readonly { chain: string; token: Address }[]
  pools: readonly PoolFigures[]
  missing: readonly string[]
  chainGaps: readonly ChainGap[]
  gaps: readonly TokenGap[]
}

/** Figures of a long history until its first run ends. */
export const COMPUTING: WalletFigures = {
  version: 'computing',
  income: ZERO,
  expense: ZERO,
  feesRaw: 0n,
  feesUsd: ZERO,
  closedPnl: null,
  unknownDisposals: [],
  pools: [],
  missing: [],
  chainGaps: [],
  gaps: [],
  isComputing: true,
}

export type Judged<R extends PnlReason = PnlReason> = Pnl & { lacks?: R }

export const unknownPnl = <R extends PnlReason>(lacks: R): Judged<R> => ({ totalCostBasis: null, openPnl: null, lacks })

type Held = Judged<PnlIncompleteItem['reason']>

export type WalletPnl = ReturnType<typeof walletPnl>

export function walletPnl(
  { pools, unknownDisposals, missing, chainGaps, gaps }: BookedPools,
  reads: readonly ValuedRead[],
) {
  const gapsByToken = new Map(gaps.map((gap) => [`${gap.chain}:${gap.token}`, gap]))
  const byToken = Map.groupBy(pools, ({ chain, token }) => `${chain}:${token}`)
  const poolsOf = (chain: string, token: string) => byToken.get(`${chain}:${token}`) ?? []

  function ofAsset(chain: string, { token, balance, stored = balance, value, priceSource }: ValuedAsset): Held {
    if (missing.includes(chain)) return unknownPnl('no-history')
    const gap = gapsByToken.get(`${chain}:${token.address}`)
    if (gap?.reason === 'native-unsearched') return unknownPnl(gap.reason)
    const [pool] = poolsOf(chain, token.address).filter(({ debt, position }) => !debt && position === null)
    if (!pool?.quantity.eq(stored)) return unknownPnl('balance-differs')
    const held = judged([pool], priceSource === null ? null : value)
    return gap?.reason === 'native-unexplained' && isOfMovements(held) ? { ...held, lacks: gap.reason } : held
  }

  const named = byName(reads)

  /** Positions of one name share its pools. */
  function keptIn(chain: string, held: ValuedPosition): PoolFigures[] {
    const name = nameOf(held)
    const kept = pools.filter((pool) => pool.chain === chain && pool.position === name)
    const all = (named.get(`${chain}:${name}`) ?? []).map((one) => one.held)
    const waiting = all.filter((one) => !isOfShares(one))
    if (waiting.length > 0 && isOfShares(held)) return []
    const sharing = waiting.length > 0 ? waiting : all
    const place = sharing.indexOf(held)
    return sharing.length < 2 || place < 0 ? kept : kept.map((pool) => partOf(pool, sharing, place))
  }

  function ofPosition(chain: string, held: ValuedPosition): Held {
    if (missing.includes(chain)) return unknownPnl('no-history')
    const { position, borrowed, value } = held
    const receipts = (position.receipts ?? []).flatMap((token) => poolsOf(chain, token)).filter(isOf(position))
    const name = nameOf(held)
    const kept = keptIn(chain, held)
    const owed = borrowed
      .flatMap(({ token }) => poolsOf(chain, token.address))
      .filter((pool) => pool.debt && (pool.position === null || pool.position === name || !isKeyed(pool.position)))
    const found = new Set([...receipts, ...kept, ...owed])
    const debts = [...found].filter(({ debt }) => debt)
    if (found.size === 0 || debts.length < borrowed.length) return unknownPnl('balance-differs')
    return judged([...found], value)
  }

  /** Unlisted tokens without a price are in no total. */
  const counted = reads.map(({ read: { chain }, held, positions }) => ({
    chain,
    held: held.filter(isOfWorth),
    positions: positions.filter(holdsWorth),
  }))

  const total = sumPnl(
    counted.flatMap(({ chain, held, positions }) => [
      ...held.map((asset) => ofAsset(chain, asset)),
      ...positions.map((position) => ofPosition(chain, position)),
    ]),
  )

  function leftOut(): PnlIncompleteItem[] {
    const gapsOf = (chain: string, contract: string | undefined, held: Held) =>
      gapOf(gapsByToken.get(`${chain}:${contract}`), chain, contract, held)
    const whole = counted.filter(({ chain }) => !missing.includes(chain))
    return [
      ...missing.map((chain) => ({ reason: 'no-history' as const, chain })),
      ...chainGaps.map(({ chain, reason, block }) => ({ reason, chain, block: String(block) })),
      ...whole.flatMap(({ chain, held, positions }) => [
        ...held.flatMap((asset) => gapsOf(chain, asset.token.address, ofAsset(chain, asset))),
        ...positions.flatMap((each) => gapsOf(chain, contractOf(each), ofPosition(chain, each))),
      ]),
      ...goneDebts(pools, reads, named),
      ...unknownDisposals.map(({ chain, token }) => ({ reason: 'unknown-disposal' as const, chain, contract: token })),
    ]
  }

  return { ofAsset, ofPosition, total, leftOut }
}

/** With the figures `COMPUTING`. */
export const COMPUTING_PNL: WalletPnl = {
  ofAsset: () => unknownPnl('computing'),
  ofPosition: () => unknownPnl('computing'),
  total: unknownPnl('computing'),
  leftOut: () => [{ reason: 'computing' }],
}

/** Debts whose position is gone: a liquidation has no transaction of the wallet. Skips unreadable protocols. */
function goneDebts(
  pools: readonly PoolFigures[],
  reads: readonly ValuedRead[],
  named: ReadonlyMap<string, unknown>,
): PnlIncompleteItem[] {
  return pools.flatMap(({ chain, debt, position, quantity, protocol }) => {
    const read = reads.find((one) => one.read.chain === chain)?.read
    const isOwed = debt && position !== null && isKeyed(position) && quantity.gt(ZERO)
    if (!read || !isOwed || named.has(`${chain}:${position}`)) return []
    const isUnread = read.gaps.some((gap) => gap.protocol !== undefined && gap.protocol === protocol)
    return isUnread ? [] : [{ reason: 'balance-differs', chain, contract: contractOfKeyed(position) }]
  })
}

function gapOf(
  gap: TokenGap | undefined,
  chain: string,
  contract: string | undefined,
  { lacks }: Held,
): PnlIncompleteItem[] {
  if (!lacks) return []
  if (gap?.reason !== lacks) return [{ reason: lacks, chain, ...(contract && { contract }) }]
  const { token, reason, block, amount } = gap
  return [{ reason, chain, contract: token, block: String(block), ...(amount && { amount: formatDecimal(amount) }) }]
}

const byName = (reads: readonly ValuedRead[]) =>
  Map.groupBy(
    reads.flatMap(({ read: { chain }, positions }) => positions.map((held) => ({ chain, held }))),
    ({ chain, held }) => `${chain}:${nameOf(held)}`,
  )

const isOfMovements = ({ lacks }: Held) => lacks === 'gap' || lacks === 'unknown-cost'

function judged(pools: readonly PoolFigures[], value: Decimal | null): Held {
  if (pools.some(({ flagged }) => flagged)) return unknownPnl('gap')
  const pnl = openPnl(pools, value)
  if (pnl.totalCostBasis === null) return { ...pnl, lacks: 'unknown-cost' }
  return value === null ? { ...pnl, lacks: 'unpriced' } : pnl
}

const isOfWorth = ({ token, priceSource }: ValuedAsset) => token.listed === true || priceSource !== null

const holdsWorth = ({ supplied, rewards, borrowed }: ValuedPosition) =>
  [...supplied, ...rewards, ...borrowed].some(isOfWorth)

/** Shares in the wallet and assets waiting at their contract have separate costs. */
const isOfShares = ({ position: { pool, tokenId, receipts } }: ValuedPosition) =>
  tokenId === undefined && pool !== undefined && (receipts ?? []).includes(pool)

const nameOf = ({ position: { pool, tokenId } }: ValuedPosition) => pool && keyedPosition(pool, tokenId ?? null)

/** Divides the cost among positions of one name: by token balance, else by value. */
function partOf(pool: PoolFigures, sharing: readonly ValuedPosition[], place: number): PoolFigures {
  if (pool.debt || pool.basis === null) return pool
  const balances = sharing.map(({ supplied }) =>
    sum(supplied.flatMap(({ token, balance }) => (token.address === pool.token ? [balance] : []))),
  )
  const shows = balances.some((balance) => balance.gt(ZERO))
  const weights = shows ? balances : sharing.map(({ supplied }) => totalOf(supplied))
  return { ...pool, basis: apportion(pool.basis, weights)[place] ?? null }
}

const contractOf = ({ position }: ValuedPosition) => position.receipts?.[0] ?? position.pool

/** Receipts in the wallet, and an NFT even if staked. */
const isOf =
  ({ tokenId }: ValuedPosition['position']) =>
  (pool: PoolFigures) =>
    pool.tokenId === (tokenId ?? null) && (pool.tokenId !== null || pool.position === null)

/** Contracts per reason and chain; beyond it only the chain is listed. */
const MOST_NAMED = 20

/** Untrusted contracts can add any number of gaps, so the list is bounded. */
export function presentPnlGaps(gaps: readonly PnlIncompleteItem[]): PnlIncompleteItem[] {
  const unique = new Map(gaps.map((gap) => [`${gap.reason} ${gap.chain} ${gap.contract}`, gap]))
  const groups = Map.groupBy(unique.values(), ({ reason, chain }) => `${reason} ${chain}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first || group.length <= MOST_NAMED) return group
    const { reason, chain } = first
    return [{ reason, ...(chain !== undefined && { chain }) }]
  })
}
