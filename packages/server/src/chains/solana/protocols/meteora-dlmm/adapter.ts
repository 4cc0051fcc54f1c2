import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountOf,
  anchorLayout,
  invalid,
  list,
  readAccount,
  readFields,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../../codec/address.ts'
import { type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import { type Accounts, readAccounts, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { pairOf, totalsOf } from '../amounts.ts'

export const DLMM_PROGRAM: SolanaAddress = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'
const BINS_PER_ARRAY = 70

/** `lockedUntil`: slot or Unix seconds. `feeOwner`: sole claimant of the fees. */
const POSITION = anchorLayout('position of Meteora DLMM', DLMM_PROGRAM, 'LgkNAEYaVX3', 8_120, {
  pool: ['key', 8],
  owner: ['key', 40],
  lower: ['i32', 7_912],
  upper: ['i32', 7_916],
  lockedUntil: ['u64', 7_992],
  feeOwner: ['key', 8_001],
})
/** Offset and size of the fields of a bin. Further bins follow the base account, each with all its fields. */
const BASE_BINS = { shares: [72, 16], rewards: [1_192, 48], fees: [4_552, 48] } as const
const MORE_BINS = { shares: [8_120, 112], rewards: [8_136, 112], fees: [8_184, 112] } as const
const BASE_BIN_COUNT = 70
const MAX_BINS = 1_400
const pairFields = { complete: ['u128', 0, 16], pending: ['u64', 32, 40] } as const

const POOL = anchorLayout('pool of Meteora DLMM', DLMM_PROGRAM, '6XZoLajBWVJ', 904, {
  baseFactor: ['u16', 8],
  feePower: ['u8', 34],
  kind: ['u8', 35],
  activeBin: ['i32', 76],
  binStep: ['u16', 80],
  activation: ['u8', 86],
  tokens: ['key', 88, 120],
  /** `rate`: per second, 64 fractional bits. */
  rewards: list(
    { from: 264, count: 2, size: 144 },
    { mint: ['key', 0], ends: ['u64', 104], rate: ['u128', 112], updated: ['u64', 128] },
  ),
})
/** An undetermined pool may give rewards. */
const UNDETERMINED = 0
const LIQUIDITY_MINING = 1
const LIMIT_ORDERS = 2
const BY_TIME = 1

const ARRAY = anchorLayout('bin array of Meteora DLMM', DLMM_PROGRAM, 'GUunkrC2gRJ', 10_136, {
  index: ['i64', 8],
  pool: ['key', 24],
})
const ARRAY_BINS = 56
const BIN_BYTES = 144
const binFields = {
  amountX: ['u64', 0],
  amountY: ['u64', 8],
  supply: ['u128', 32],
  rewards: ['u128', 48, 64],
  fees: ['u128', 80, 96],
} as const

/** Shares and growth have 64 fractional bits. `counters`: two fees, then two rewards. */
type BinShare = { bin: number; share: bigint; counters: readonly { complete: bigint; pending: bigint }[] }

/** `stored`: earnings per share. */
type Bin = { amountX: bigint; amountY: bigint; supply: bigint; stored: readonly bigint[] }

type DlmmPosition = ReturnType<typeof positionOf>
type DlmmPool = ReturnType<typeof readPool>

/** Before token transfer fees. Limit orders are not read. */
export const meteoraDlmm: SolanaAdapter = {
  key: 'meteora',
  title: 'Meteora',
  siteUrl: 'https://www.meteora.ag',
  searched: [DLMM_PROGRAM],

  async positions(scope) {
    const positions = (await searchAccounts(scope, POSITION)).map(positionOf)
    const known = await readAccounts(
      scope.reader,
      positions.flatMap(({ pool, arrays }) => [pool, ...arrays.values()]),
    )
    return positions.map((position) => draftOf(position, scope.clock, known))
  },
}

const arrayIndex = (bin: number) => Math.floor(bin / BINS_PER_ARRAY)

const arrayAddress = (pool: SolanaAddress, index: number) =>
  programAddress(DLMM_PROGRAM, ['bin_array', addressBytes(pool), integerSeed(BigInt.asUintN(64, BigInt(index)), 8)])

/** `bins`: those with a share or an unpaid amount. */
function positionOf(account: AccountOf<typeof POSITION>) {
  const { address, lower, upper, pool } = account
  const width = upper - lower + 1
  if (width < 1 || width > MAX_BINS) throw invalid(POSITION.what, address, `has bins ${lower} to ${upper}`)
  const all = Array.from({ length: width }, (_, index) => shareAt(account, index))
  const bins = all.filter(({ share, counters }) => share > 0n || counters.some(({ pending }) => pending > 0n))
  const indexes = new Set(bins.filter(({ share }) => share > 0n).map(({ bin }) => arrayIndex(bin)))
  return { ...account, bins, arrays: new Map([...indexes].map((index) => [index, arrayAddress(pool, index)])) }
}

function shareAt({ data, lower }: AccountOf<typeof POSITION>, index: number): BinShare {
  const isMore = index >= BASE_BIN_COUNT
  const { shares, fees, rewards } = isMore ? MORE_BINS : BASE_BINS
  const at = ([from, size]: readonly [number, number]) => from + (isMore ? index - BASE_BIN_COUNT : index) * size
  const counters = [fees, rewards].flatMap((pair) => {
    const { complete, pending } = readFields(data, pairFields, at(pair))
    return ([0, 1] as const).map((side) => ({ complete: complete[side], pending: pending[side] }))
  })
  return { bin: lower + index, share: data.u128(at(shares)), counters }
}

export function readPool(account: SolanaAccount | null | undefined) {
  const pool = readAccount(account, POOL)
  const { kind, baseFactor, binStep, feePower, activation } = pool
  if (kind > LIMIT_ORDERS) throw invalid(POOL.what, pool.address, `has function ${kind}`)
  const givesRewards = kind === LIQUIDITY_MINING || kind === UNDETERMINED
  return {
    ...pool,
    // Base fee in 10⁻⁹, at low volatility: base factor × bin step × 10 × 10^power.
    feePercent: (baseFactor * binStep * 10 * 10 ** feePower) / 1e7,
    countsSlots: activation !== BY_TIME,
    rewards: pool.rewards.map((reward) => (givesRewards && reward.mint !== NATIVE_SOL ? reward : undefined)),
  }
}

function draftOf(position: DlmmPosition, clock: SolanaClock, known: Accounts): PositionDraft {
  const { lockedUntil } = position
  const pool = readPool(known.get(position.pool))
  const free = pool.countsSlots ? timeOfSlot(lockedUntil, clock) : lockedUntil
  return {
    kind: 'liquidity',
    label: `${pool.feePercent}%`,
    pool: position.pool,
    ...amountsOf(position, pool, (own) => binNow(own, pool, position, BigInt(clock.time), known)),
    ...(lockedUntil > 0n && free > BigInt(clock.time) && { unlockAt: unlockTime(free) }),
  }
}

function amountsOf({ owner, feeOwner, bins }: DlmmPosition, pool: DlmmPool, binOf: (own: BinShare) => Bin) {
  const claimsFees = feeOwner === NATIVE_SOL || feeOwner === owner
  const fees = pool.tokens.map((mint) => (claimsFees ? mint : undefined))
  const paid = [...fees, ...pool.rewards.map((reward) => reward?.mint)]
  let [amountX, amountY] = [0n, 0n]
  const rewards: TokenAmount[] = []
  for (const own of bins) {
    const bin = binOf(own)
    if (bin.supply !== 0n) {
      // Rounded down.
      amountX += (own.share * bin.amountX) / bin.supply
      amountY += (own.share * bin.amountY) / bin.supply
    }
    for (const [index, counter] of own.counters.entries()) {
      const token = paid[index]
      if (token !== undefined)
        rewards.push({ token, amountRaw: claimable(own.share, counter, bin.stored[index] ?? 0n) })
    }
  }
  return { supplied: pairOf(pool.tokens, [amountX, amountY]), rewards: totalsOf(rewards) }
}

const FEES = 2
const EMPTY_BIN: Bin = { amountX: 0n, amountY: 0n, supply: 0n, stored: [] }

/** Rewards accrue in the active bin only. */
function binNow(
  { bin: id, share }: BinShare,
  { activeBin, rewards }: DlmmPool,
  { pool, arrays }: DlmmPosition,
  time: bigint,
  known: Accounts,
): Bin {
  if (share === 0n) return EMPTY_BIN
  const bin = readBin(known.get(arrays.get(arrayIndex(id)) ?? ''), pool, id)
  const stored = bin.stored.map((growth, place) => {
    const reward = id === activeBin ? rewards[place - FEES] : undefined
    return reward ? growth + grown(reward, bin.supply, time) : growth
  })
  return { ...bin, stored }
}

export function readBin(account: SolanaAccount | null | undefined, pool: SolanaAddress, id: number): Bin {
  const array = readAccount(account, ARRAY)
  const index = arrayIndex(id)
  if (array.index !== BigInt(index) || array.pool !== pool) {
    throw invalid(ARRAY.what, array.address, `is not that of bin ${id}`)
  }
  const bin = readFields(array.data, binFields, ARRAY_BINS + (id - index * BINS_PER_ARRAY) * BIN_BYTES)
  return { ...bin, stored: [...bin.fees, ...bin.rewards] }
}

const FRACTION = 64n
const RATE_DIVISOR = 15n

function claimable(share: bigint, counter: { complete: bigint; pending: bigint }, stored: bigint): bigint {
  if (share === 0n || stored <= counter.complete) return counter.pending
  return counter.pending + (((share >> FRACTION) * (stored - counter.complete)) >> FRACTION)
}

type Reward = { rate: bigint; ends: bigint; updated: bigint }

function grown({ rate, ends, updated }: Reward, supply: bigint, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  const whole = supply >> FRACTION
  return seconds <= 0n || whole === 0n ? 0n : (rate * seconds) / RATE_DIVISOR / whole
}
