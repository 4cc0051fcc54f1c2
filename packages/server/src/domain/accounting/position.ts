import { type Decimal, ONE, sum, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import { mergeBacking, standingFor, standsFor } from './backing.ts'
import { scaled, splitLot } from './lots.ts'
import { type Moving, putReceived, takeGiven } from './move.ts'
import { receive } from './outside.ts'
import { type Item, type Posting, poolOf, poolsOf, positionName } from './posting.ts'
import type { Lot, Pool } from './state.ts'
import { worthOf } from './swap.ts'
import { basisIn, dropIfEmpty, forgetBasis, type OpenPool, putIn } from './working-state.ts'

type Share = { part: Decimal; whole: Decimal }

/** Moves basis to received assets. Without any (a lock, a withdrawal request) it waits in a position. */
export function move(
  posting: Posting,
  given: readonly Item[],
  received: readonly Item[],
  named: Item | undefined,
): void {
  if (given.length > 0 && received.length > 0) putReceived(posting, takeGiven(posting, given), received)
  else if (given.length > 0) enterPosition(posting, given, named)
  else leavePosition(posting, received, named)
}

function enterPosition(posting: Posting, given: readonly Item[], named: Item | undefined): void {
  const nfts = nftsOf(posting, given, named)
  const [nft] = nfts
  if (nft && nfts.length === 1) {
    addToNft(nft, takeGiven(posting, given))
    return
  }
  for (const item of given) {
    const lots = takeGiven(posting, [item]).map(({ lot, principal }) => ({
      ...lot,
      backing: { units: lot.quantity, principal },
    }))
    putIn(posting.working, { ...poolOf(posting, item), position: positionName(posting, item, named) }, lots)
  }
}

function addToNft(nft: OpenPool, added: readonly Moving[]): void {
  const [first, ...others] = nft.lots
  if (!first) return
  const units = first.quantity
  const more = added.map(({ principal }) => ({ units: ZERO, principal }))
  const backing = [first.backing ?? { units, principal: {} }, ...more].reduce(mergeBacking, null)
  nft.lots = [{ ...first, basis: sumKnown([first.basis, ...added.map(({ lot }) => lot.basis)]), backing }, ...others]
  if (nft.lots.some((lot) => lot.basis === null)) forgetBasis(nft)
}

/** A single asset's principal, else basis up to the worth received. */
function leavePosition(posting: Posting, received: readonly Item[], named: Item | undefined): void {
  const nfts = nftsOf(posting, received, named)
  const isNamed = named !== undefined && nfts.length > 0
  const pools = isNamed ? nfts : [...waitingFor(posting, received, named), ...nfts]
  if (pools.length === 0) {
    for (const item of received) receive(posting, item)
    return
  }
  const share = shareTaken(pools, received)
  const moving = pools.flatMap((pool) => draw(posting, pool, share, isNamed || pool.position === null))
  putReceived(posting, moving, received)
}

/** The named NFT, in the wallet or staked, or the protocol's that stand for all assets. */
function nftsOf(posting: Posting, items: readonly Item[], named: Item | undefined): OpenPool[] {
  if (named) return heldPools(posting, (pool) => isSameNft(pool, named))
  const { protocol } = posting.entry
  return heldPools(
    posting,
    (pool) =>
      protocol !== null &&
      pool.tokenId !== null &&
      pool.position === null &&
      pool.protocol === protocol &&
      items.every((item) => holds(pool, item)),
  )
}

const isSameNft = ({ token, tokenId }: Pool, { movement }: Item) =>
  tokenId !== null && tokenId === movement.tokenId && token === movement.token

function waitingFor(posting: Posting, received: readonly Item[], named: Item | undefined): OpenPool[] {
  const own = heldPools(posting, (pool) => pool.position !== null && received.some((item) => isSameNft(pool, item)))
  if (own.length > 0) return own
  const names = new Set(received.flatMap((item) => [positionName(posting, item), positionName(posting, item, named)]))
  const waiting = heldPools(posting, (pool) => pool.position !== null && names.has(pool.position))
  const fitting = waiting.filter((pool) => received.some((item) => holds(pool, item)))
  return fitting.length > 0 ? fitting : waiting
}

const heldPools = (posting: Posting, isWanted: (pool: Pool) => boolean) =>
  poolsOf(posting, (pool) => pool.lots.length > 0 && !pool.debt && isWanted(pool))

const holds = (pool: Pool, { movement }: Item) => pool.lots.some((lot) => standsFor(lot.backing, movement.identity))

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

function draw(posting: Posting, pool: OpenPool, { part, whole }: Share, stays: boolean): Moving[] {
  const parts = pool.lots.map((lot) => {
    const [out, kept] = part.eq(whole) ? [lot, null] : splitLot(lot, part, whole)
    return { out, kept }
  })
  pool.lots = stays ? parts.map(({ out, kept }) => nftLot(out, kept)) : parts.flatMap(({ kept }) => kept ?? [])
  pool.quantity = sum(pool.lots.map((lot) => lot.quantity))
  dropIfEmpty(posting.working, pool)
  const drawn = sum(parts.map(({ out }) => out.quantity))
  return parts.map(({ out }) => ({
    lot: out,
    weight: scaled(ONE, out.quantity, drawn),
    principal: out.backing?.principal ?? {},
  }))
}

/** Keeps an NFT for several assets at zero basis: later withdrawals cost nothing. */
function nftLot(out: Lot, kept: Lot | null): Lot {
  if (kept === null) {
    const several = Object.keys(out.backing?.principal ?? {}).length > 1
    return { ...out, basis: out.basis && ZERO, backing: several ? out.backing : null }
  }
  const quantity = out.quantity.plus(kept.quantity)
  return { ...kept, quantity, backing: kept.backing && { ...kept.backing, units: quantity } }
}
