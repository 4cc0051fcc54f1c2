import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { invalid } from '../../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../../codec/address.ts'
import { type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import { type Accounts, readAccounts, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { totalsOf } from '../amounts.ts'
import {
  arrayIndex,
  type Bin,
  type BinShare,
  DLMM_PROGRAM,
  type DlmmPool,
  type DlmmPosition,
  type DlmmReward,
  POSITION_OWNER,
  positionLayout,
  readBin,
  readPool,
  readPosition,
} from './layout.ts'

/** Positions at withdrawal value, before token transfer fees. Limit orders are not read. */
export const meteoraDlmm: SolanaAdapter = {
  name: 'meteora_dlmm',
  key: 'meteora',
  title: 'Meteora',
  siteUrl: 'https://www.meteora.ag',
  searched: [DLMM_PROGRAM],

  async positions(scope) {
    const { reader, wallet, clock } = scope
    const accounts = await searchAccounts(scope, positionLayout, POSITION_OWNER)
    const positions = accounts.map(readPosition).filter(({ bins }) => bins.length > 0)
    for (const { address, owner } of positions) {
      if (owner !== wallet) throw invalid(positionLayout.what, address, 'is not of the wallet that was asked for')
    }
    const located = positions.map((position) => ({ position, arrays: arraysOf(position) }))
    const named = located.flatMap(({ position, arrays }) => [position.pool, ...arrays.values()])
    const known = await readAccounts(reader, named)
    return located.map((each) => draftOf(each, clock, known))
  },
}

type Located = { position: DlmmPosition; arrays: ReadonlyMap<number, SolanaAddress> }

function arraysOf({ pool, bins }: DlmmPosition): Located['arrays'] {
  const indexes = new Set(bins.filter(({ share }) => share > 0n).map(({ bin }) => arrayIndex(bin)))
  const addressOf = (index: number) =>
    programAddress(DLMM_PROGRAM, ['bin_array', addressBytes(pool), integerSeed(BigInt.asUintN(64, BigInt(index)), 8)])
  return new Map([...indexes].map((index) => [index, addressOf(index)]))
}

function draftOf(located: Located, clock: SolanaClock, known: Accounts): PositionDraft {
  const { position } = located
  const pool = readPool(known.get(position.pool))
  const { supplied, rewards } = amountsOf(position, pool, (own) => binNow(own, pool, located, clock, known))
  const free = pool.countsSlots ? timeOfSlot(position.lockedUntil, clock) : position.lockedUntil
  return {
    kind: 'liquidity',
    label: `${pool.feePercent}%`,
    pool: position.pool,
    supplied: pool.tokens.map((token, index) => ({ token, amountRaw: supplied[index] ?? 0n })),
    rewards,
    ...(position.lockedUntil > 0n && free > BigInt(clock.time) && { unlockAt: unlockTime(free) }),
  }
}

function amountsOf({ owner, feeOwner, bins }: DlmmPosition, pool: DlmmPool, binOf: (own: BinShare) => Bin) {
  const claimsFees = feeOwner === undefined || feeOwner === owner
  const fees = pool.tokens.map((mint) => (claimsFees ? mint : undefined))
  const paid = [...fees, ...pool.rewards.map((reward) => reward?.mint)]
  let [amountX, amountY] = [0n, 0n]
  const rewards: TokenAmount[] = []
  for (const own of bins) {
    const bin = binOf(own)
    const [x, y] = withdrawn(own, bin)
    amountX += x
    amountY += y
    for (const [index, counter] of own.counters.entries()) {
      const token = paid[index]
      if (token !== undefined)
        rewards.push({ token, amountRaw: claimable(own.share, counter, bin.stored[index] ?? 0n) })
    }
  }
  return { supplied: [amountX, amountY], rewards: totalsOf(rewards) }
}

const FEES = 2
const EMPTY_BIN: Bin = { amountX: 0n, amountY: 0n, supply: 0n, stored: [] }

/** Rewards accrue in the active bin only. */
function binNow(
  { bin: id, share }: BinShare,
  { activeBin, rewards }: DlmmPool,
  { position, arrays }: Located,
  clock: SolanaClock,
  known: Accounts,
): Bin {
  if (share === 0n) return EMPTY_BIN
  const bin = readBin(known.get(arrays.get(arrayIndex(id)) ?? ''), position.pool, id)
  if (id !== activeBin) return bin
  const stored = bin.stored.map((growth, index) => {
    const reward = rewards[index - FEES]
    return reward ? growth + grown(reward, bin, BigInt(clock.time)) : growth
  })
  return { ...bin, stored }
}

const FRACTION = 64n
/** Divisor of reward rates in the program. */
const RATE_DIVISOR = 15n

/** Rounded down. */
function withdrawn({ share }: BinShare, { amountX, amountY, supply }: Bin): [bigint, bigint] {
  return supply === 0n ? [0n, 0n] : [(share * amountX) / supply, (share * amountY) / supply]
}

function claimable(share: bigint, counter: { complete: bigint; pending: bigint }, stored: bigint): bigint {
  if (share === 0n || stored <= counter.complete) return counter.pending
  return counter.pending + (((share >> FRACTION) * (stored - counter.complete)) >> FRACTION)
}

function grown({ rate, ends, updated }: DlmmReward, { supply }: Bin, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  const whole = supply >> FRACTION
  return seconds <= 0n || whole === 0n ? 0n : (rate * seconds) / RATE_DIVISOR / whole
}
