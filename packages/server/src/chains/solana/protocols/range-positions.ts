import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountData, invalid, list, readFields, type SolanaAccount } from '../codec/account-data.ts'
import { type Accounts, readAccounts } from './account-reads.ts'
import type { PositionScope } from './adapter.ts'
import { pairOf, totalsOf } from './amounts.ts'
import { type NftProtocol, readNftPositions } from './position-nfts.ts'

type Counter = { checkpoint: bigint; owed: bigint }

/** `counters`: two fees, then the pool's rewards. */
export type RangePosition = {
  mint: SolanaAddress
  pool: SolanaAddress
  tickLower: number
  tickUpper: number
  liquidity: bigint
  counters: readonly Counter[]
}

/** `sqrtPrice`: √(second token per first), 64 fractional bits. */
export type RangeState = {
  tokens: readonly [SolanaAddress, SolanaAddress]
  vaults: readonly [SolanaAddress, SolanaAddress]
  liquidity: bigint
  sqrtPrice: bigint
  tick: number
  tickSpacing: number
}

/** `net`: change when the price rises. */
export type Tick = { tick: number; net: bigint }

export type RangePool = RangeState & {
  label: string
  counters: readonly ({ mint: SolanaAddress; growth: bigint } | undefined)[]
}

export type TickArray = { pool: SolanaAddress; start: number; tickSpacing: number }

export type RangeProtocol = NftProtocol<RangePosition> & {
  ticksPerArray: number
  /** Tick arrays are requested before the pool is known. */
  tickSpacings: readonly number[]
  tickArrayAddress(pool: SolanaAddress, start: number): SolanaAddress
  /** `time`: Unix seconds. */
  readPool(account: SolanaAccount | null | undefined, time: number): RangePool
  /** `places`: offsets of used ticks. */
  openTicks(
    account: SolanaAccount | null | undefined,
    array: TickArray,
  ): { data: AccountData; places: ReadonlyMap<number, number> }
  /** Offsets in a tick: its net liquidity, and the growth outside of two fees and three rewards. */
  tickAt: { net: number; growth: number }
  sqrtPriceAtTick(tick: number): bigint
}

export function readTicks(protocol: RangeProtocol, account: SolanaAccount, array: TickArray): Tick[] {
  const { data, places } = protocol.openTicks(account, array)
  return [...places].map(([tick, at]) => ({ tick, net: data.i128(at + protocol.tickAt.net) }))
}

const growthFields = list({ from: 0, count: 5, size: 16 }, { raw: ['u128', 0] })

/** Outside a tick, per counter. */
function readGrowth(
  protocol: RangeProtocol,
  account: SolanaAccount | null | undefined,
  { pool, tick, tickSpacing }: { pool: SolanaAddress; tick: number; tickSpacing: number },
): bigint[] {
  const start = arrayStart(tick, protocol.ticksPerArray, tickSpacing)
  const { data, places } = protocol.openTicks(account, { pool, start, tickSpacing })
  const at = places.get(tick)
  if (at === undefined) throw invalid('tick array', data.address, `has no tick ${tick}`)
  return readFields(data, { growth: growthFields }, at + protocol.tickAt.growth).growth.map(({ raw }) => raw)
}

export async function readRangePositions(scope: PositionScope, protocol: RangeProtocol): Promise<PositionDraft[]> {
  const { reader, clock } = scope
  const found = await readNftPositions(scope, protocol)
  for (const { mint, tickLower, tickUpper } of found) {
    if (tickLower >= -MAX_TICK && tickLower < tickUpper && tickUpper <= MAX_TICK) continue
    throw invalid(`position of ${protocol.program}`, mint, `has ticks ${tickLower} to ${tickUpper}`)
  }
  const positions = found.filter(({ liquidity, counters }) => liquidity > 0n || counters.some(({ owed }) => owed > 0n))
  const likely = positions.flatMap((position) => [position.pool, ...likelyArrays(position, protocol)])
  const known = await readAccounts(reader, likely)
  const pooled = positions.map((position) => ({
    position,
    pool: protocol.readPool(known.get(position.pool), clock.time),
  }))
  // The reader requests each account once.
  const arrays = pooled.flatMap(({ position, pool }) => arraysOf(position, pool.tickSpacing, protocol))
  const ticks = await readAccounts(reader, arrays)
  return pooled.map(({ position, pool }) => draftOf(position, pool, protocol, ticks))
}

function likelyArrays(position: RangePosition, protocol: RangeProtocol): SolanaAddress[] {
  const { tickLower, tickUpper } = position
  const possible = protocol.tickSpacings.filter((spacing) => tickLower % spacing === 0 && tickUpper % spacing === 0)
  return possible.flatMap((spacing) => arraysOf(position, spacing, protocol))
}

/** Without liquidity the tick arrays may be gone. */
function arraysOf(
  { pool, tickLower, tickUpper, liquidity }: RangePosition,
  tickSpacing: number,
  { tickArrayAddress, ticksPerArray }: RangeProtocol,
): SolanaAddress[] {
  if (liquidity === 0n) return []
  return [tickLower, tickUpper].map((tick) => tickArrayAddress(pool, arrayStart(tick, ticksPerArray, tickSpacing)))
}

function draftOf(position: RangePosition, pool: RangePool, protocol: RangeProtocol, known: Accounts): PositionDraft {
  return {
    kind: 'nft-liquidity',
    label: pool.label,
    pool: position.pool,
    supplied: pairOf(pool.tokens, withdrawn(position, pool, protocol)),
    rewards: rewardsOf(position, pool, protocol, known),
    receipts: [position.mint],
  }
}

function rewardsOf(position: RangePosition, pool: RangePool, protocol: RangeProtocol, known: Accounts): TokenAmount[] {
  const { tickLower, tickUpper, liquidity } = position
  const [lower, upper] = arraysOf(position, pool.tickSpacing, protocol)
  const growthAt = (array: SolanaAddress | undefined, tick: number) =>
    array === undefined
      ? []
      : readGrowth(protocol, known.get(array), { pool: position.pool, tick, tickSpacing: pool.tickSpacing })
  const [outsideLower, outsideUpper] = [growthAt(lower, tickLower), growthAt(upper, tickUpper)]
  const owed = position.counters.flatMap((counter, index): TokenAmount[] => {
    const paid = pool.counters[index]
    if (!paid) return []
    const [lowerGrowth = 0n, upperGrowth = 0n] = [outsideLower[index], outsideUpper[index]]
    const below = pool.tick < tickLower ? paid.growth - lowerGrowth : lowerGrowth
    const above = pool.tick < tickUpper ? upperGrowth : paid.growth - upperGrowth
    return [{ token: paid.mint, amountRaw: owedNow(counter, liquidity, paid.growth - below - above) }]
  })
  return totalsOf(owed)
}

/** Prices √(b per a) and growth have 64 fractional bits. */
const Q64 = 1n << 64n
const Q128 = 1n << 128n

const MAX_TICK = 443_636

/** Rounded down. */
function withdrawn(position: RangePosition, pool: RangePool, protocol: RangeProtocol): [bigint, bigint] {
  const { liquidity, tickLower, tickUpper } = position
  const [lower, upper] = [protocol.sqrtPriceAtTick(tickLower), protocol.sqrtPriceAtTick(tickUpper)]
  if (pool.tick < tickLower) return [amountA(liquidity, lower, upper), 0n]
  if (pool.tick >= tickUpper) return [0n, amountB(liquidity, lower, upper)]
  return [amountA(liquidity, pool.sqrtPrice, upper), amountB(liquidity, lower, pool.sqrtPrice)]
}

function amountA(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from) * Q64) / (from * to)
}

function amountB(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from)) / Q64
}

/** Counters wrap around by design. The programs drop amounts beyond 64 bits. */
function owedNow({ checkpoint, owed }: Counter, liquidity: bigint, inside: bigint): bigint {
  const earned = liquidity * BigInt.asUintN(128, inside - checkpoint)
  return BigInt.asUintN(64, owed + (earned < Q128 ? earned / Q64 : 0n))
}

export function emitted(perSecondX64: bigint, seconds: bigint, liquidity: bigint): bigint {
  if (liquidity === 0n || seconds <= 0n) return 0n
  const growth = (perSecondX64 * seconds) / liquidity
  return growth < Q128 ? growth : 0n
}

export function arrayStart(tick: number, ticksPerArray: number, tickSpacing: number): number {
  const span = ticksPerArray * tickSpacing
  return Math.floor(tick / span) * span
}

/** Rounds down after each factor, as the programs do. Throws `RangeError`. */
export function tickFactor(factors: readonly bigint[], fractionBits: bigint, tick: number): bigint {
  const distance = Math.abs(tick)
  if (!Number.isInteger(tick) || distance > MAX_TICK) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << fractionBits
  for (const [bit, factor] of factors.entries()) {
    if ((distance >> bit) & 1) ratio = (ratio * factor) >> fractionBits
  }
  return ratio
}
