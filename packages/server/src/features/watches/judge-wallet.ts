import type { WatchGap } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { type Decimal, sum, ZERO } from '../../domain/decimal.ts'
import { gapsOf, type ValuedAsset, type ValuedRead } from '../../domain/valuation.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'

/** An older read proves nothing about now: its renewal did not end in time. */
const OLD_MS = 5 * 60_000
/** A token without a price keeps a check from telling for so long; from then on it counts as having none. */
const UNPRICED_MS = 86_400_000

/** Whether each token that counts had a price, by chain and contract. */
export type KnownPrices = Readonly<Record<string, boolean>>

/** What is there, or why that cannot be told. */
export type Judged = { value: Decimal; known: KnownPrices | null } | { gaps: readonly WatchGap[] }

type State = Pick<PortfolioState, 'reads' | 'incomplete' | 'unasked'>

/**
 * Net worth in USD, unless something that is missing, old or without its price could make it look other than it is. What a
 * node refuses to search for does not: what was found stays found. `known`: of the last time that it was told, at `knownAt`
 * in ms.
 */
export function judgeNetWorth(
  state: State,
  { known, knownAt, now }: { known: KnownPrices | null; knownAt: number; now: number },
): Judged {
  const { reads } = state
  const assets = reads.flatMap((read) => assetsOf(read).map((asset) => ({ ...asset, key: keyOf(read, asset) })))
  const isForgiven = now - knownAt > UNPRICED_MS
  // Whoever made an unlisted token decides whether it has a price.
  const unpriced = assets.filter(
    ({ priceSource, key, token }) => priceSource === null && token.listed && (known?.[key] ?? true),
  )
  const { ofReads, ofSearches } = chainGaps(state, now)
  const gaps: WatchGap[] = [
    ...ofReads,
    // Anyone can create contracts that are still to be asked: what they add comes when it is found.
    ...ofSearches.filter(({ chain, reason }) => reason !== 'not-allowed' && !state.unasked?.includes(chain)),
    ...reads.flatMap((each) => gapsOf(each).map((gap) => ({ chain: each.read.chain, ...gap }))),
    ...(isForgiven ? [] : unpriced.map(({ key, token }) => unpricedGap(key, token.address))),
  ]
  if (gaps.length > 0) return { gaps }
  const counted = assets.filter(({ token }) => token.listed)
  return {
    value: sum(reads.map(({ value }) => value)),
    known: Object.fromEntries(counted.map(({ key, priceSource }) => [key, priceSource !== null])),
  }
}

/** What a wallet holds of a token directly, in token units. `isListed`: every read asks for the token. */
export function judgeBalance(
  state: State,
  {
    chain,
    contract,
    isListed,
    wasKnown,
    now,
  }: {
    chain: string
    contract: Address
    isListed: boolean
    wasKnown: boolean
    now: number
  },
): Judged {
  const read = state.reads.find((one) => one.read.chain === chain)
  const { ofReads, ofSearches } = chainGaps(state, now)
  const ofTokens = (read?.read.gaps ?? []).filter(({ protocol }) => protocol === undefined)
  const held = read?.direct.find(({ token }) => token.address === contract)
  // Of a token that no read asks for, not to be there means something once the wallet was searched.
  const isTold = held !== undefined || isListed || wasKnown
  const ofChain = [...ofReads, ...(isTold ? [] : ofSearches)].filter((gap) => gap.chain === chain)
  const gaps = [...ofChain, ...ofTokens].map(({ reason }) => ({ chain, reason }))
  return gaps.length > 0 ? { gaps } : { value: held?.balance ?? ZERO, known: null }
}

/** `ofReads`: chains without a read, or with one that is old. `ofSearches`: chains on which what no list names may be missing. */
function chainGaps({ reads, incomplete }: State, now: number): Record<'ofReads' | 'ofSearches', WatchGap[]> {
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

const keyOf = ({ read: { chain } }: ValuedRead, { token }: ValuedAsset) => `${chain} ${token.address}`

function unpricedGap(key: string, contract: string): WatchGap {
  return { chain: key.slice(0, key.indexOf(' ')), contract, reason: 'unpriced' }
}

/** Without debts: one that has no price is a gap of the read. */
const assetsOf = ({ held, positions }: ValuedRead) => [
  ...held,
  ...positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards]),
]
