import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { invalid, type SolanaAccount } from '../codec/account-data.ts'
import { type Accounts, readAccounts } from './account-reads.ts'
import type { PositionScope } from './adapter.ts'
import { totalsOf } from './amounts.ts'
import { type NftProtocol, readNftPositions } from './position-nfts.ts'

/** `counters`: two fees, then the pool's rewards. */
export type RangePosition = {
  mint: SolanaAddress
  pool: SolanaAddress
  tickLower: number
  tickUpper: number
  liquidity: bigint
  counters: readonly { checkpoint: bigint; owed: bigint }[]
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

export type RangeProtocol = NftProtocol<RangePosition> & {
  ticksPerArray: number
  /** Tick arrays are requested before the pool is known. */
  tickSpacings: readonly number[]
  tickArrayAddress(pool: SolanaAddress, start: number): SolanaAddress
  /** `time`: Unix seconds. */
  readPool(account: SolanaAccount | null | undefined, time: number): RangePool
  /** Growth outside a tick, per counter. */
  readTick(
    account: SolanaAccount | null | undefined,
    at: { pool: SolanaAddress; tick: number; tickSpacing: number },
  ): readonly bigint[]
  sqrtPriceAtTick(tick: number): bigint
}

/** Two round trips; three for a new tick spacing. */
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
  const { tickLower, tickUpper, liquidity } = position
  const range = {
    liquidity,
    tickLower,
    tickUpper,
    tick: pool.tick,
    sqrtPrice: pool.sqrtPrice,
    sqrtLower: protocol.sqrtPriceAtTick(tickLower),
    sqrtUpper: protocol.sqrtPriceAtTick(tickUpper),
  }
  const [amountA, amountB] = withdrawn(range)
  return {
    kind: 'nft-liquidity',
    label: pool.label,
    pool: position.pool,
    supplied: [
      { token: pool.tokens[0], amountRaw: amountA },
      { token: pool.tokens[1], amountRaw: amountB },
    ],
    rewards: rewardsOf(position, pool, protocol, known),
    receipts: [position.mint],
  }
}

function rewardsOf(position: RangePosition, pool: RangePool, protocol: RangeProtocol, known: Accounts): TokenAmount[] {
  const { tickLower, tickUpper, liquidity } = position
  const [lower, upper] = arraysOf(position, pool.tickSpacing, protocol)
  const tickAt = (array: SolanaAddress | undefined, tick: number) =>
    array === undefined
      ? []
      : protocol.readTick(known.get(array), { pool: position.pool, tick, tickSpacing: pool.tickSpacing })
  const [outsideLower, outsideUpper] = [tickAt(lower, tickLower), tickAt(upper, tickUpper)]
  const owed = position.counters.flatMap((counter, index): TokenAmount[] => {
    const paid = pool.counters[index]
    if (!paid) return []
    const growth = {
      everywhere: paid.growth,
      outsideLower: outsideLower[index] ?? 0n,
      outsideUpper: outsideUpper[index] ?? 0n,
    }
    const inside = growthInside({ tick: pool.tick, tickLower, tickUpper }, growth)
    return [{ token: paid.mint, amountRaw: owedNow(counter, liquidity, inside) }]
  })
  return totalsOf(owed)
}

/** Prices √(b per a) and growth have 64 fractional bits. */
const Q64 = 1n << 64n
const Q128 = 1n << 128n

const MAX_TICK = 443_636

type Range = {
  liquidity: bigint
  tickLower: number
  tickUpper: number
  sqrtLower: bigint
  sqrtUpper: bigint
  tick: number
  sqrtPrice: bigint
}

/** Rounds down as the programs do. */
function withdrawn(range: Range): [bigint, bigint] {
  const { liquidity, sqrtLower, sqrtUpper, sqrtPrice } = range
  if (range.tick < range.tickLower) return [amountA(liquidity, sqrtLower, sqrtUpper), 0n]
  if (range.tick >= range.tickUpper) return [0n, amountB(liquidity, sqrtLower, sqrtUpper)]
  return [amountA(liquidity, sqrtPrice, sqrtUpper), amountB(liquidity, sqrtLower, sqrtPrice)]
}

function amountA(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from) * Q64) / (from * to)
}

function amountB(liquidity: bigint, from: bigint, to: bigint): bigint {
  return (liquidity * (to - from)) / Q64
}

/** Counters wrap around by design. */
function growthInside(
  { tick, tickLower, tickUpper }: Pick<Range, 'tick' | 'tickLower' | 'tickUpper'>,
  growth: { everywhere: bigint; outsideLower: bigint; outsideUpper: bigint },
): bigint {
  const { everywhere, outsideLower, outsideUpper } = growth
  const below = tick < tickLower ? everywhere - outsideLower : outsideLower
  const above = tick < tickUpper ? outsideUpper : everywhere - outsideUpper
  return BigInt.asUintN(128, everywhere - below - above)
}

/** The programs drop amounts beyond 64 bits. */
function owedNow(
  { checkpoint, owed }: { checkpoint: bigint; owed: bigint },
  liquidity: bigint,
  inside: bigint,
): bigint {
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
