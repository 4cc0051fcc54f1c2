import type { Movement, TransactionType, Treatment } from '../domain/transaction.ts'

export type AnyChange = Omit<Movement, 'leg' | 'treatment' | 'unit'>

export type Part<C extends AnyChange> = C & { place: number }

export type Leg<C extends AnyChange> = {
  type: TransactionType
  protocol: string | null
  parts: readonly (Part<C> & { treatment: Treatment })[]
}

/** A change counts only once. */
export type Remainder<C extends AnyChange> = {
  all(): readonly Part<C>[]
  take(wanted: (part: Part<C>) => boolean): Part<C>[]
  /** Base units. Splits the last change unless it exceeds the rest by up to `slackRaw`. */
  takeUpTo(amountRaw: bigint, wanted: (part: Part<C>) => boolean, slackRaw?: bigint): Part<C>[]
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

export function legOf<C extends AnyChange>(
  type: TransactionType,
  treatment: Treatment,
  protocol: string | null,
  parts: readonly Part<C>[],
): Leg<C> {
  return { type, protocol, parts: parts.map((part) => ({ ...part, treatment })) }
}

/** Within a leg, amounts of a token with the same treatment are offset, except in self-transfers. */
export function movementsOf<C extends AnyChange>(legs: readonly Leg<C>[]): Movement[] {
  return legs
    .flatMap((leg, number) => {
      const parts = leg.type === 'SELFTRANSFER' ? leg.parts : settled(leg.parts, ({ treatment }) => treatment)
      return parts.map((part) => ({ ...part, leg: number }))
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ place: _, ...movement }) => movement)
}

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

export const magnitude = ({ amountRaw }: { amountRaw: bigint }) => (amountRaw < 0n ? -amountRaw : amountRaw)

export const sizeOf = (parts: readonly { amountRaw: bigint }[]) =>
  parts.reduce((sum, part) => sum + magnitude(part), 0n)
