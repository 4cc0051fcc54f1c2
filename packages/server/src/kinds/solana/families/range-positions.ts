import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import { invalid } from '../codec/account-data.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { SolanaFamily, SolanaScope } from './family.ts'
import { nftMints } from './position-nfts.ts'
import { arrayStart, growthInside, owedNow, withdrawn } from './tick-range.ts'

/** Liquidity of an NFT between two ticks. `counters`: fees of both tokens, then the rewards of the pool, in its order. */
export type RangePosition = {
  mint: SolanaAddress
  pool: SolanaAddress
  tickLower: number
  tickUpper: number
  liquidity: bigint
  counters: readonly { checkpoint: bigint; owed: bigint }[]
}

/** Where a pool stands. The price is √(second token per first) in 64 fractional bits. */
export type RangeState = {
  tokens: readonly [SolanaAddress, SolanaAddress]
  vaults: readonly [SolanaAddress, SolanaAddress]
  liquidity: bigint
  sqrtPrice: bigint
  tick: number
  tickSpacing: number
}

/** A tick at which liquidity changes: by `net` where the price rises through it. */
export type Tick = { tick: number; net: bigint }

/** A pool as of a time. `counters`: what is paid and how much it has grown by then; undefined where nothing is. */
export type RangePool = RangeState & {
  label: string
  counters: readonly ({ mint: SolanaAddress; growth: bigint } | undefined)[]
}

/** How a program of concentrated liquidity keeps its accounts. */
export type RangeProtocol = {
  program: SolanaAddress
  ticksPerArray: number
  /** The tick spacings of its pools: arrays of ticks are requested before it is known which one a pool has. */
  tickSpacings: readonly number[]
  positionAddress(mint: SolanaAddress): SolanaAddress
  tickArrayAddress(pool: SolanaAddress, start: number): SolanaAddress
  readPosition(account: SolanaAccount): RangePosition
  /** `time`: Unix seconds up to which rewards have come in. */
  readPool(account: SolanaAccount | null | undefined, time: number): RangePool
  /** Growth outside a tick, of each counter. */
  readTick(
    account: SolanaAccount | null | undefined,
    at: { pool: SolanaAddress; tick: number; tickSpacing: number },
  ): readonly bigint[]
  sqrtPriceAtTick(tick: number): bigint
}

type Accounts = Map<SolanaAddress, SolanaAccount | null>

/**
 * The open positions behind a wallet's NFTs: what withdrawing all liquidity would pay as supply, fees and rewards up to
 * now as rewards. Two trips: positions, then their pools and ticks; a third if a pool has a new tick spacing.
 */
export async function readRangePositions(
  scope: Parameters<SolanaFamily['positions']>[0],
  protocol: RangeProtocol,
): Promise<PositionDraft[]> {
  const { reader, clock } = scope
  const positions = await findPositions(scope, protocol, nftMints(scope))
  if (positions.length === 0) return []
  const known: Accounts = new Map()
  const load = async (addresses: readonly SolanaAddress[]) => {
    const unknown = [...new Set(addresses)].filter((address) => !known.has(address))
    const found = unknown.length > 0 ? await reader.accounts(unknown) : []
    for (const [index, address] of unknown.entries()) known.set(address, found[index] ?? null)
  }
  await load(positions.flatMap((position) => [position.pool, ...likelyArrays(position, protocol)]))
  const pooled = positions.map((position) => ({
    position,
    pool: protocol.readPool(known.get(position.pool), clock.time),
  }))
  await load(pooled.flatMap(({ position, pool }) => arraysOf(position, pool.tickSpacing, protocol)))
  return pooled.map(({ position, pool }) => draftOf(position, pool, protocol, known))
}

async function findPositions(
  { reader }: SolanaScope,
  { program, positionAddress, readPosition }: RangeProtocol,
  mints: readonly SolanaAddress[],
): Promise<RangePosition[]> {
  if (mints.length === 0) return []
  const accounts = await reader.accounts(mints.map(positionAddress))
  return accounts.flatMap((account, index) => {
    // Anyone can send SOL to an address that has no account yet.
    if (!account || account.owner === NATIVE_SOL) return []
    const position = readPosition(account)
    if (position.mint !== mints[index]) throw invalid(`position of ${program}`, account.address, 'is of another NFT')
    return position.liquidity > 0n || position.counters.some(({ owed }) => owed > 0n) ? [position] : []
  })
}

function likelyArrays(position: RangePosition, protocol: RangeProtocol): SolanaAddress[] {
  const { tickLower, tickUpper } = position
  const possible = protocol.tickSpacings.filter((spacing) => tickLower % spacing === 0 && tickUpper % spacing === 0)
  return possible.flatMap((spacing) => arraysOf(position, spacing, protocol))
}

/** Where the ticks of a position are. Without liquidity they may be gone, and are not needed. */
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
    ...{ liquidity, tickLower, tickUpper, tick: pool.tick, sqrtPrice: pool.sqrtPrice },
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
    borrowed: [],
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
