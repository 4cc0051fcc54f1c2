import { type Decimal, ONE, sum, ZERO } from '../decimal.ts'
import { standingFor, standsFor } from './backing.ts'
import { basisIn, dropIfEmpty, type OpenPool, putIn } from './books.ts'
import { scaled, splitLot } from './lots.ts'
import { type Moving, putReceived, takeGiven } from './move.ts'
import { receive } from './outside.ts'
import { type Item, type Posting, poolOf } from './posting.ts'
import type { Lot } from './state.ts'
import { worthOf } from './swap.ts'

/** A share of something: `part` of `whole`. */
type Share = { part: Decimal; whole: Decimal }

/**
 * Basis goes from what is given to what is received. Given for nothing yet (a lock, a request to withdraw), it waits in a
 * position named after the protocol; received for nothing given, it comes from there.
 */
export function move(posting: Posting, given: readonly Item[], received: readonly Item[]): void {
  if (received.length === 0) for (const item of given) enterPosition(posting, item)
  else if (given.length > 0) putReceived(posting, takeGiven(posting, given), received)
  else leavePosition(posting, received)
}

function enterPosition(posting: Posting, item: Item): void {
  const lots = takeGiven(posting, [item]).map(({ lot, principal }) => ({
    ...lot,
    backing: { units: lot.quantity, principal },
  }))
  putIn(posting.books, { ...poolOf(posting, item), position: positionName(posting, item) }, lots)
}

/**
 * One asset that went in takes its principal out. For anything else basis is recovered first: as much as what comes out is
 * worth. What no position explains comes from outside.
 */
function leavePosition(posting: Posting, received: readonly Item[]): void {
  const pools = positionsFor(posting, received)
  if (pools.length === 0) {
    for (const item of received) receive(posting, item)
    return
  }
  const share = shareTaken(pools, received)
  const moving = pools.flatMap((pool) => draw(posting, pool, share))
  putReceived(posting, moving, received)
}

/** Positions that the received assets went into; of an NFT's, those that stand for all of them. Else all of that name. */
function positionsFor(posting: Posting, received: readonly Item[]): OpenPool[] {
  const { books, entry } = posting
  const names = new Set(received.map((item) => positionName(posting, item)))
  const own = [...books.pools.values()].filter(
    (pool) => pool.wallet === entry.wallet && pool.chain === entry.chain && pool.lots.length > 0 && !pool.debt,
  )
  const holds = (pool: OpenPool) => (item: Item) =>
    pool.lots.some((lot) => standsFor(lot.backing, item.movement.identity))
  const waiting = own.filter((pool) => pool.position !== null && names.has(pool.position))
  const fitting = [
    ...waiting.filter((pool) => received.some(holds(pool))),
    ...own.filter(
      (pool) =>
        pool.position === null &&
        pool.tokenId !== null &&
        pool.protocol === entry.protocol &&
        received.every(holds(pool)),
    ),
  ]
  return fitting.length > 0 ? fitting : waiting
}

function shareTaken(pools: readonly OpenPool[], received: readonly Item[]): Share {
  const [only, ...others] = received
  if (only && others.length === 0) {
    const principal = principalIn(pools, only.movement.identity)
    if (principal.gt(ZERO)) return atMostAll(only.units, principal)
  }
  const worth = worthOf(received)
  const basis = basisIn(pools)
  return worth === null || basis === null ? atMostAll(ONE, ONE) : atMostAll(worth, basis)
}

const principalIn = (pools: readonly OpenPool[], identity: string) =>
  sum(pools.flatMap((pool) => pool.lots.map((lot) => standingFor(lot.backing, identity)?.quantity ?? ZERO)))

const atMostAll = (part: Decimal, whole: Decimal): Share =>
  part.lt(whole) ? { part, whole } : { part: ONE, whole: ONE }

/** A share of every lot. An NFT stays where it is, with what is left of its basis. */
function draw(posting: Posting, pool: OpenPool, { part, whole }: Share): Moving[] {
  const parts = pool.lots.map((lot) => (part.eq(whole) ? { out: lot, kept: null } : splitOff(lot, part, whole)))
  pool.lots =
    pool.position === null ? parts.map(({ out, kept }) => nftLot(out, kept)) : parts.flatMap(({ kept }) => kept ?? [])
  pool.quantity = sum(pool.lots.map((lot) => lot.quantity))
  dropIfEmpty(posting.books, pool)
  const drawn = sum(parts.map(({ out }) => out.quantity))
  return parts.map(({ out }) => ({
    lot: out,
    weight: scaled(ONE, out.quantity, drawn),
    principal: out.backing?.principal ?? {},
  }))
}

function splitOff(lot: Lot, part: Decimal, whole: Decimal) {
  const [out, kept] = splitLot(lot, part, whole)
  return { out, kept }
}

/** The whole NFT again, after a part of what it stands for was taken out. */
function nftLot(out: Lot, kept: Lot | null): Lot {
  if (kept === null) return { ...out, basis: out.basis && ZERO, backing: null }
  const quantity = out.quantity.plus(kept.quantity)
  return { ...kept, quantity, backing: kept.backing && { ...kept.backing, units: quantity } }
}

function positionName({ entry }: Posting, { movement }: Item): string {
  return entry.protocol ?? movement.counterparty ?? 'unnamed'
}
