import type { WatchGap } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal, sum, ZERO } from '../../domain/decimal.ts'
import { gapsOf, type ValuedRead } from '../../domain/valuation.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'

/** An older read proves nothing: its renewal did not end in time. */
const OLD_MS = 5 * 60_000
/** A token without a price blocks a check for this long, then counts as unpriced. */
const UNPRICED_MS = 86_400_000

/** True if priced, by chain and contract. */
export type KnownPrices = Readonly<Record<string, boolean>>

export type Judged = { value: Decimal; known: KnownPrices | null } | { gaps: readonly WatchGap[] }

/**
 * In USD, or the missing, old or unpriced parts that could distort it. A refused search does not. `known`: as last
 * settled, at `knownAt` in ms.
 */
export function judgeNetWorth(
  state: PortfolioState,
  { known, knownAt, now }: { known: KnownPrices | null; knownAt: number; now: number },
): Judged {
  const { reads } = state
  const assets = reads.flatMap((each) => {
    const { chain } = each.read
    return assetsOf(each).map((asset) => ({ ...asset, chain, key: `${chain} ${asset.token.address}` }))
  })
  const isForgiven = now - knownAt > UNPRICED_MS
  // The creator of an unlisted token decides whether it has a price.
  const unpriced = assets.filter(
    ({ priceSource, key, token }) => priceSource === null && token.listed && (known?.[key] ?? true),
  )
  const { ofReads, ofSearches } = chainGaps(state, now)
  const gaps: WatchGap[] = [
    ...ofReads,
    // Anyone can create contracts that are still to be asked.
    ...ofSearches.filter(({ chain, reason }) => reason !== 'not-allowed' && !state.unasked?.includes(chain)),
    ...reads.flatMap((each) => gapsOf(each).map((gap) => ({ chain: each.read.chain, ...gap }))),
    ...(isForgiven ? [] : unpriced).map(({ chain, token }) => ({
      chain,
      contract: token.address,
      reason: 'unpriced' as const,
    })),
  ]
  if (gaps.length > 0) return { gaps }
  const counted = assets.filter(({ token }) => token.listed)
  return {
    value: sum(reads.map(({ value }) => value)),
    known: Object.fromEntries(counted.map(({ key, priceSource }) => [key, priceSource !== null])),
  }
}

/** `isListed`: every read asks for the token. */
type Watched = { chain: string; contract: Address; isListed: boolean; wasKnown: boolean; now: number }

/** In token units, held directly. */
export function judgeBalance(state: PortfolioState, watched: Watched): Judged {
  const { chain, contract, isListed, wasKnown, now } = watched
  const read = state.reads.find((one) => one.read.chain === chain)
  const { ofReads, ofSearches } = chainGaps(state, now)
  const ofTokens = (read?.read.gaps ?? []).filter(({ protocol }) => protocol === undefined)
  const held = read?.direct.find(({ token }) => token.address === contract)
  // No read asks for an unlisted token: its absence counts only after a search.
  const isReported = held !== undefined || isListed || wasKnown
  const ofChain = [...ofReads, ...(isReported ? [] : ofSearches)].filter((gap) => gap.chain === chain)
  const gaps = [...ofChain, ...ofTokens].map(({ reason }) => ({ chain, reason }))
  return gaps.length > 0 ? { gaps } : { value: held?.balance ?? ZERO, known: null }
}

/** `ofReads`: chains without a recent read. `ofSearches`: unlisted assets may be missing. */
function chainGaps({ reads, incomplete }: PortfolioState, now: number): Record<'ofReads' | 'ofSearches', WatchGap[]> {
  const isRead = new Set(reads.map(({ read }) => read.chain))
  const isOfSearch = ({ chain, reason }: WatchGap) =>
    reason === 'searching' || (reason === 'not-allowed' && isRead.has(chain))
  const old = reads.filter(({ read }) => now - read.readAt > OLD_MS)
  return {
    ofReads: [
      ...incomplete.filter((gap) => !isOfSearch(gap)),
      ...old.map(({ read: { chain } }) => ({ chain, reason: 'stale' as const })),
    ],
    ofSearches: incomplete.filter(isOfSearch),
  }
}

/** Debts without a price are gaps of the read. */
const assetsOf = ({ held, positions }: ValuedRead) => [
  ...held,
  ...positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards]),
]

/** `isPast`: null if not known yet. */
type Threshold = { isAbove: boolean; threshold: Decimal; isPast: boolean | null }

/** A value must come back by 2 % before passing counts again. */
const [UNDER, OVER] = [decimal('0.98'), decimal('1.02')]

export function isPast({ isAbove, threshold, isPast: was }: Threshold, value: Decimal): boolean {
  if (isAbove ? value.gt(threshold) : value.lt(threshold)) return true
  if (was !== true) return false
  return isAbove ? value.gt(threshold.times(UNDER)) : value.lt(threshold.times(OVER))
}
