import { createRequire } from 'node:module'
import { Connection, PublicKey } from '@solana/web3.js'
import BN from 'bn.js'
import { addressBytes, addressOf, derived, JUP, NOBODY, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAccount, type FixtureClock, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl, packed } from './layout.ts'

const require = createRequire(import.meta.url)
// Its ES module build does not load.
const dlmm = require('@meteora-ag/dlmm') as DlmmLibrary
type DlmmLibrary = {
  IDL: Idl
  createProgram(connection: Connection): { coder: { accounts: { decode(kind: string, data: Buffer): unknown } } }
  wrapPosition(program: unknown, key: PublicKey, account: { data: Buffer }): unknown
  /** Internal to the library, hence not declared. */
  processPosition(
    program: unknown,
    pool: unknown,
    clock: { unixTimestamp: BN; epoch: BN },
    position: unknown,
    mintX: object,
    mintY: object,
    rewardMint0: null,
    rewardMint1: null,
    arrays: Map<string, unknown>,
  ): Promise<{ totalXAmount: string; totalYAmount: string; feeX: BN; feeY: BN; rewardOne: BN; rewardTwo: BN }>
}

const PROGRAM = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'
const BINS_PER_ARRAY = 70

type Counter = { complete: bigint; pending: bigint }
/** Both fees, then both rewards. */
type Four<T> = readonly [T, T, T, T]
export type DlmmBinFigures = {
  amountX: bigint
  amountY: bigint
  supply: bigint
  stored: Four<bigint>
  share: bigint
  counters: Four<Counter>
}

/** Times in Unix seconds. `bins`: from the lowest on. */
export type DlmmFigures = {
  lower: number
  active: number
  bins: readonly DlmmBinFigures[]
  reward: { rate: bigint; ends: number; updated: number }
  /** Selects whether bins hold limit orders in place of rewards. */
  functionType: 0 | 1 | 2
  feeOwner?: string
  locked?: { until: number; countsSlots: boolean }
}

const bin = (x: bigint, y: bigint, part: bigint): DlmmBinFigures => ({
  amountX: x,
  amountY: y,
  supply: (x * 150n + y * 1_000n + 7n) << 64n,
  stored: [987_654_321_098_765n, 123_456_789_012_345n, 45_678_901_234_567n, 0n],
  share: ((x * 150n + y * 1_000n + 7n) << 64n) / part,
  counters: [
    { complete: 887_654_321_098_765n, pending: 12_345n },
    { complete: 103_456_789_012_345n, pending: 678n },
    { complete: 45_000_000_000_000n, pending: 90_123n },
    { complete: 0n, pending: 0n },
  ],
})

/** USDC below, SOL above, both in the active bin. Crosses an array's edge, below bin 0. */
export const dlmmFigures = (clock: FixtureClock): DlmmFigures => ({
  lower: -73,
  active: -70,
  bins: [
    bin(0n, 512_345_678n, 17n),
    bin(0n, 412_345_678n, 13n),
    bin(0n, 312_345_678n, 11n),
    bin(1_512_345_678n, 212_345_678n, 7n),
    bin(2_512_345_678n, 0n, 5n),
    bin(3_512_345_678n, 0n, 3n),
  ],
  reward: { rate: 123_456n << 64n, ends: clock.time + 1_000, updated: clock.time - 5_000 },
  functionType: 1,
})

const positionData = (wallet: string, pool: string, figures: DlmmFigures): Uint8Array => {
  const fees = ({ counters: [x, y] }: DlmmBinFigures) => ({
    ...{ fee_x_per_token_complete: x.complete, fee_y_per_token_complete: y.complete },
    ...{ fee_x_pending: x.pending, fee_y_pending: y.pending },
  })
  const rewards = ({ counters: [, , first, second] }: DlmmBinFigures) => ({
    reward_per_token_completes: [first.complete, second.complete],
    reward_pendings: [first.pending, second.pending],
  })
  const base = figures.bins.slice(0, BINS_PER_ARRAY)
  const data = anchorData(dlmm.IDL, 'PositionV2', {
    lb_pair: pool,
    owner: wallet,
    liquidity_shares: base.map(({ share }) => share),
    reward_infos: base.map(rewards),
    fee_infos: base.map(fees),
    lower_bin_id: figures.lower,
    upper_bin_id: figures.lower + figures.bins.length - 1,
    last_updated_at: 1_789_000_000n,
    total_claimed_fee_x_amount: 5n,
    lock_release_point: BigInt(figures.locked?.until ?? 0),
    fee_owner: figures.feeOwner ?? NOBODY,
    version: 1,
  })
  const more = figures.bins.slice(BINS_PER_ARRAY).map((each) =>
    packed([
      ['u128', each.share],
      [{ array: ['u128', 2] }, [each.counters[2].complete, each.counters[3].complete]],
      [{ array: ['u64', 2] }, [each.counters[2].pending, each.counters[3].pending]],
      [{ array: ['u128', 2] }, [each.counters[0].complete, each.counters[1].complete]],
      [{ array: ['u64', 2] }, [each.counters[0].pending, each.counters[1].pending]],
    ]),
  )
  return new Uint8Array(Buffer.concat([data, ...more]))
}

const poolData = ({ active, reward, functionType, locked }: DlmmFigures): Uint8Array =>
  anchorData(dlmm.IDL, 'LbPair', {
    parameters: { base_factor: 10_000, base_fee_power_factor: 0, function_type: functionType },
    active_id: active,
    bin_step: 10,
    activation_type: locked?.countsSlots ? 0 : 1,
    token_x_mint: WRAPPED_SOL,
    token_y_mint: USDC,
    reward_infos: [
      {
        mint: functionType === 2 ? NOBODY : JUP,
        reward_duration_end: BigInt(reward.ends),
        reward_rate: reward.rate,
        last_update_time: BigInt(reward.updated),
      },
    ],
  })

const LOW_64 = 2n ** 64n - 1n

/** Limit orders occupy the fields of the rewards. */
const binValue = ({ amountX, amountY, supply, stored }: DlmmBinFigures) => ({
  ...{ amount_x: amountX, amount_y: amountY, liquidity_supply: supply },
  ...{ fulfilled_order_amount_x: stored[2] & LOW_64, fulfilled_order_amount_y: stored[2] >> 64n },
  ...{ limit_order_fee_ask_side: stored[3] & LOW_64, limit_order_fee_bid_side: stored[3] >> 64n },
  ...{ fee_amount_x_per_token_stored: stored[0], fee_amount_y_per_token_stored: stored[1] },
})

const arraysOf = ({ lower, bins }: DlmmFigures, pool: string): Promise<FixtureAccount[]> => {
  const indexes = new Set(bins.map((_, index) => Math.floor((lower + index) / BINS_PER_ARRAY)))
  return Promise.all(
    [...indexes].map(async (index) => {
      const seed = packed([['i64', BigInt(index)]])
      const at = await derived(PROGRAM, ['bin_array', addressBytes(pool), seed])
      const inArray = Array.from({ length: BINS_PER_ARRAY }, (_, place) => {
        const figures = bins[index * BINS_PER_ARRAY + place - lower]
        return figures ? binValue(figures) : {}
      })
      const data = anchorData(dlmm.IDL, 'BinArray', { index: BigInt(index), version: 1, lb_pair: pool, bins: inArray })
      return fixtureAccount(at, PROGRAM, data)
    }),
  )
}

const program = dlmm.createProgram(new Connection('http://127.0.0.1:1'))

const expectedOf = async (
  clock: FixtureClock,
  own: FixtureAccount,
  pool: FixtureAccount,
  arrays: readonly FixtureAccount[],
) => {
  const decoded = (kind: string, data: Uint8Array) => program.coder.accounts.decode(kind, Buffer.from(data))
  const mint = (decimals: number) => ({ decimals, tlvData: Buffer.alloc(0) })
  const shown = await dlmm.processPosition(
    program,
    decoded('lbPair', pool.data),
    { unixTimestamp: new BN(clock.time), epoch: new BN(clock.epoch.toString()) },
    dlmm.wrapPosition(program, new PublicKey(own.address), { data: Buffer.from(own.data) }),
    mint(9),
    mint(6),
    null,
    null,
    new Map(arrays.map(({ address, data }) => [address, decoded('binArray', data)])),
  )
  const big = (amount: BN | string) => BigInt(amount.toString())
  const paid = [
    { token: WRAPPED_SOL, amountRaw: big(shown.feeX) },
    { token: USDC, amountRaw: big(shown.feeY) },
    { token: JUP, amountRaw: big(shown.rewardOne) },
  ]
  return {
    supplied: [
      { token: WRAPPED_SOL, amountRaw: big(shown.totalXAmount) },
      { token: USDC, amountRaw: big(shown.totalYAmount) },
    ],
    rewards: paid.filter(({ amountRaw }) => amountRaw > 0n),
  }
}

/** Values from Meteora's library. */
export const meteoraDlmm = async (
  wallet: string,
  clock: FixtureClock,
  figures = dlmmFigures(clock),
): Promise<Fixture> => {
  const pool = fixtureAccount(addressOf('meteora dlmm pool'), PROGRAM, poolData(figures))
  const at = addressOf(`meteora dlmm position of ${wallet}`)
  const own = fixtureAccount(at, PROGRAM, positionData(wallet, pool.address, figures))
  const arrays = await arraysOf(figures, pool.address)
  return {
    accounts: [own, pool, ...arrays],
    held: [],
    expected: [position('liquidity', await expectedOf(clock, own, pool, arrays))],
  }
}
