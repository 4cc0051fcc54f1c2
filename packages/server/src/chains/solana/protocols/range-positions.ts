import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { invalid, type SolanaAccount } from '../codec/account-data.ts'
import { type Accounts, readAccounts } from './account-reads.ts'
import type { SolanaAdapter } from './adapter.ts'
import { type NftProtocol, readNftPositions } from './position-nfts.ts'
import { arrayStart, growthInside, MAX_TICK, owedNow, withdrawn } from './tick-range.ts'

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
export async function readRangePositions(
  scope: Parameters<SolanaAdapter['positions']>[0],
  protocol: RangeProtocol,
): Promise<PositionDraft[]> {
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
  const totals = new Map<SolanaAddress, bigint>()
  for (const [index, counter] of position.counters.entries()) {
    const paid = pool.counters[index]
    if (!paid) continue
    const growth = {
      everywhere: paid.growth,
      outsideLower: outsideLower[index] ?? 0n,
      outsideUpper: outsideUpper[index] ?? 0n,
    }
    const inside = growthInside({ tick: pool.tick, tickLower, tickUpper }, growth)
    totals.set(paid.mint, (totals.get(paid.mint) ?? 0n) + owedNow(counter, liquidity, inside))
  }
  return [...totals].flatMap(([token, amountRaw]) => (amountRaw > 0n ? [{ token, amountRaw }] : []))
}
