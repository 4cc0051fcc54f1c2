import type { Movement, TransactionType, Treatment } from '../domain/transaction.ts'

/** A change of what a wallet holds, as far as legs need it. */
export type AnyChange = Omit<Movement, 'leg' | 'treatment' | 'unit'>

/** A change, or a part of one, at its place among the transaction's changes. */
export type Part<C extends AnyChange> = C & { place: number }

/** Changes that belong together, and the type of transaction that they make. */
export type Leg<C extends AnyChange> = {
  type: TransactionType
  /** Key of a protocol or a bridge. */
  protocol: string | null
  parts: readonly (Part<C> & { treatment: Treatment })[]
}

/** The changes of a transaction that no leg has taken yet. Taking a change removes it, so that it counts only once. */
export type Remainder<C extends AnyChange> = {
  all(): readonly Part<C>[]
  take(wanted: (part: Part<C>) => boolean): Part<C>[]
  /**
   * Takes at most `amountRaw` base units and splits the last change if needed. A change that exceeds the rest by up to
   * `slackRaw` is taken whole.
   */
  takeUpTo(amountRaw: bigint, wanted: (part: Part<C>) => boolean, slackRaw?: bigint): Part<C>[]
  /** Offsets the received and given amounts of each token. */
  settle(): void
}

export function createRemainder<C extends AnyChange>(changes: readonly C[]): Remainder<C> {
  let rest: Part<C>[] = changes.map((change, place) => ({ ...change, place }))

  function takeUpTo(amountRaw: bigint, wanted: (part: Part<C>) => boolean, slackRaw = 0n): Part<C>[] {
    const taken: Part<C>[] = []
    let missing = amountRaw
    const keep = (part: Part<C>): Part<C>[] => {
      const size = magnitude(part)
      const use = size <= missing + slackRaw ? size : missing
      missing -= use
      const usedRaw = part.amountRaw < 0n ? -use : use
      taken.push({ ...part, amountRaw: usedRaw })
      return use === size ? [] : [{ ...part, amountRaw: part.amountRaw - usedRaw }]
    }
    rest = rest.flatMap((part) => (missing > 0n && wanted(part) ? keep(part) : [part]))
    return taken
  }

  function take(wanted: (part: Part<C>) => boolean): Part<C>[] {
    const { taken = [], left = [] } = Object.groupBy(rest, (part) => (wanted(part) ? 'taken' : 'left'))
    rest = left
    return taken
  }

  function settle(): void {
    rest = settled(rest, () => '')
  }

  return { all: () => rest, take, takeUpTo, settle }
}

export const isGiven = ({ amountRaw }: { amountRaw: bigint }): boolean => amountRaw < 0n
export const isReceived = ({ amountRaw }: { amountRaw: bigint }): boolean => amountRaw > 0n

/** A leg whose parts are all treated alike. */
export function legOf<C extends AnyChange>(
  type: TransactionType,
  treatment: Treatment,
  protocol: string | null,
  parts: readonly Part<C>[],
): Leg<C> {
  return { type, protocol, parts: parts.map((part) => ({ ...part, treatment })) }
}

/**
 * The legs as movements, in the order in which the tokens moved. Within a leg, given and received amounts of a token
 * with the same treatment are offset, except in self-transfers.
 */
export function movementsOf<C extends AnyChange>(legs: readonly Leg<C>[]): Movement[] {
  return legs
    .flatMap((leg, number) => {
      const parts = leg.type === 'SELFTRANSFER' ? leg.parts : settled(leg.parts, ({ treatment }) => treatment)
      return parts.map((part) => ({ ...part, leg: number }))
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ place: _, ...movement }) => movement)
}

/** Net change of each token (within a group) after given and received amounts are offset. */
function settled<P extends Part<AnyChange>>(parts: readonly P[], groupOf: (part: P) => string): P[] {
  const keyOf = (part: P) => `${part.token} ${part.tokenId} ${groupOf(part)}`
  const nets = new Map<string, bigint>()
  for (const part of parts) nets.set(keyOf(part), (nets.get(keyOf(part)) ?? 0n) + part.amountRaw)
  return parts.flatMap((part) => {
    if (part.amountRaw === 0n) return [part]
    const net = nets.get(keyOf(part)) ?? 0n
    if (net === 0n || net < 0n !== part.amountRaw < 0n) return []
    const amountRaw = magnitude(part) < magnitude({ amountRaw: net }) ? part.amountRaw : net
    nets.set(keyOf(part), net - amountRaw)
    return [{ ...part, amountRaw }]
  })
}

const magnitude = ({ amountRaw }: { amountRaw: bigint }) => (amountRaw < 0n ? -amountRaw : amountRaw)
