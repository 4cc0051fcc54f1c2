import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAccount, fixtureAccount, position } from './fixture.ts'
import { handData, type IdlType, type LayoutValue, packed } from './layout.ts'
import { heldAccounts, tokenAccount } from './tokens.ts'

const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const CPMM_AUTHORITY = 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'
const AMM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const AMM_AUTHORITY = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'
const LP_DECIMALS = 9

type Pair = readonly [bigint, bigint]

/** AMM v4 uses only the first of `fees`. */
export type LpFigures = {
  vaults: Pair
  fees: readonly [protocol: Pair, fund: Pair, creator: Pair]
  shares: bigint
  held: bigint
  status: bigint
}

type BothFigures = { cpmm: LpFigures; amm: LpFigures }

/** SOL at some 150 USDC. */
export const lpFigures: BothFigures = {
  cpmm: {
    vaults: [5_000_000_003_100n, 750_000_001_600n],
    fees: [
      [1_000n, 500n],
      [2_000n, 1_000n],
      [100n, 100n],
    ],
    shares: 61_237_243_569n,
    held: 1_000_000_007n,
    status: 0n,
  },
  amm: {
    vaults: [900_000_700_000n, 135_000_300_000n],
    fees: [
      [700_000n, 300_000n],
      [0n, 0n],
      [0n, 0n],
    ],
    shares: 348_568_501_158n,
    held: 333_333_333n,
    status: 6n,
  },
}

/**
 * Shares ÷ all shares × (vault − fees), rounded down: 1000000007 of 61237243569 are of 5000000000000 and 750000000000,
 * and 333333333 of 348568501158 are of 900000000000 and 135000000000.
 */
const lpAmounts: { cpmm: Pair; amm: Pair } = {
  cpmm: [81_649_658_665n, 12_247_448_799n],
  amm: [860_662_964n, 129_099_444n],
}

const zeros = (count: number): IdlType => ({ array: ['u8', count] })
const words = (count: number): IdlType => ({ array: ['u64', count] })

const cpmmData = (lpMint: string, vaults: readonly [string, string], figures: LpFigures): Uint8Array => {
  const [protocol, fund, creator] = figures.fees
  return handData('PoolState', [
    ['publicKey', addressOf('raydium cpmm config')],
    ['publicKey', addressOf('raydium cpmm creator')],
    ['publicKey', vaults[0]],
    ['publicKey', vaults[1]],
    ['publicKey', lpMint],
    ['publicKey', WRAPPED_SOL],
    ['publicKey', USDC],
    [zeros(64), []],
    ['publicKey', addressOf('raydium cpmm observation')],
    ['u8', 253],
    ['u8', figures.status],
    ['u8', LP_DECIMALS],
    ['u8', 9],
    ['u8', 6],
    ['u64', figures.shares],
    [words(2), protocol],
    [words(2), fund],
    ['u64', 1_700_000_000n],
    ['u64', 900n],
    ['u8', 0],
    ['bool', true],
    [zeros(6), []],
    [words(2), creator],
    [words(28), []],
  ])
}

const ammData = (lpMint: string, vaults: readonly [string, string], figures: LpFigures): Uint8Array => {
  const head: [IdlType, LayoutValue][] = [
    ['u64', figures.status],
    [words(15), [254n, 7n, 3n, 9n, 6n, 1n]],
    // Fees, as numerators and denominators.
    [words(8), [5n, 10_000n, 25n, 10_000n, 12n, 100n, 25n, 10_000n]],
    [words(2), figures.fees[0]],
    [words(6), [123n, 456n, 1_700_000_000n]],
    [zeros(80), [1, 2, 3]],
  ]
  return packed([
    ...head,
    ['publicKey', vaults[0]],
    ['publicKey', vaults[1]],
    ['publicKey', WRAPPED_SOL],
    ['publicKey', USDC],
    ['publicKey', lpMint],
    ['publicKey', addressOf('raydium amm open orders')],
    ['publicKey', addressOf('raydium amm market')],
    ['publicKey', addressOf('raydium amm market program')],
    ['publicKey', addressOf('raydium amm target orders')],
    [words(8), []],
    ['publicKey', addressOf('raydium amm owner')],
    ['u64', figures.shares],
    [words(3), [0n, 900n, 0n]],
  ])
}

type Made = { accounts: FixtureAccount[]; token: { mint: string; amountRaw: bigint; decimals: number } }

const made = async (
  wallet: string,
  {
    name,
    program,
    authority,
    figures,
    poolData,
  }: {
    name: string
    program: string
    authority: string
    figures: LpFigures
    poolData: typeof cpmmData
  },
): Promise<Made> => {
  const pool = addressOf(`raydium ${name} pool`)
  const mint = await derived(program, ['pool_lp_mint', addressBytes(pool)])
  const vaults = [addressOf(`raydium ${name} vault 0`), addressOf(`raydium ${name} vault 1`)] as const
  const token = { mint, amountRaw: figures.held, decimals: LP_DECIMALS }
  return {
    token,
    accounts: [
      fixtureAccount(pool, program, poolData(mint, vaults, figures)),
      tokenAccount(vaults[0], authority, WRAPPED_SOL, figures.vaults[0]),
      tokenAccount(vaults[1], authority, USDC, figures.vaults[1]),
      ...(await heldAccounts(wallet, token, figures.shares, authority)),
    ],
  }
}

export const raydiumPools = async (wallet: string, figures = lpFigures, amounts = lpAmounts): Promise<Fixture> => {
  const pools = await Promise.all([
    made(wallet, { name: 'cpmm', program: CPMM, authority: CPMM_AUTHORITY, figures: figures.cpmm, poolData: cpmmData }),
    made(wallet, { name: 'amm', program: AMM, authority: AMM_AUTHORITY, figures: figures.amm, poolData: ammData }),
  ])
  const supplied = ([sol, usdc]: Pair) => [
    { token: WRAPPED_SOL, amountRaw: sol },
    { token: USDC, amountRaw: usdc },
  ]
  return {
    accounts: pools.flatMap(({ accounts }) => accounts),
    held: pools.map(({ token }) => token),
    expected: [amounts.cpmm, amounts.amm].map((each) => position('liquidity', { supplied: supplied(each) })),
  }
}
