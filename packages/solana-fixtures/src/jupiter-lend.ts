import { Decimal } from 'decimal.js'
import { addressBytes, addressOf, derived, NOBODY, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAccount, type FixtureClock, fixtureAccount, position } from './fixture.ts'
import { handData, type IdlType, type LayoutValue, packed } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const LIQUIDITY = 'jupeiUmn818Jg1ekPURTpr4mFo29p46vygyykFJ3wZC'
const LENDING = 'jup3YeL8QhtSx1e253b2FDvsMNC87fDrgQZivbrndc9'
const REWARDS = 'jup7TthsMgcR9Y3L277b8Eo9uboVSmu1utkuXHNUKar'
const VAULTS = 'jupr81YtYssSyPt8jbnGuiWon5f6x9TcDEFxYe3Bdzi'
const METADATA = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** Rates, fee and utilisation in basis points, prices times 10^12, times in Unix seconds. */
type JupiterReserveFigures = {
  borrowRate: bigint
  fee: bigint
  utilisation: bigint
  updatedAt: bigint
  supplyPrice: bigint
  borrowPrice: bigint
  /** With interest, without interest. */
  supplied: readonly [bigint, bigint]
  borrowed: readonly [bigint, bigint]
}

type JupiterRewardFigures = {
  minAssets: bigint
  duration: bigint
  start: bigint
  yearly: bigint
  nextDuration: bigint
  nextAmount: bigint
}

type LiquidationFigures = { isFullyLiquidated: boolean; branch: number; factor: bigint }

export type JupiterLendFigures = {
  time: bigint
  usdc: JupiterReserveFigures
  sol: JupiterReserveFigures
  lending: {
    sharePrice: bigint
    liquidityPrice: bigint
    updatedAt: bigint
    shares: bigint
    held: bigint
    rewards: JupiterRewardFigures | null
  }
  vault: {
    type: number
    magnifiers: readonly [number, number]
    prices: readonly [bigint, bigint]
    liquidityPrices: readonly [bigint, bigint]
    updatedAt: bigint
  }
  /** `ratio`: times 2^48, from the protocol's library. Null without debt. */
  position: { supply: bigint; dust: bigint; tick: { tick: number; ratio: bigint; id: number } | null }
  tick: LiquidationFigures & { ids: number; isLiquidated: boolean }
  /** Outcome of the position's tick if the tick has restarted since. */
  past: LiquidationFigures
  branches: readonly {
    id: number
    status: number
    tick: number
    partials: number
    factor: bigint
    connected: number
  }[]
  /** Remainder after liquidations, from the protocol's library. Null if there were none. */
  left: { supply: bigint; debt: bigint } | null
}

const NEVER: LiquidationFigures = { isFullyLiquidated: false, branch: 0, factor: 0n }

/** The debt is in tick 2463. Some time after the last update. */
export const jupiterLendFigures = ({ time }: Pick<FixtureClock, 'time'>): JupiterLendFigures => {
  const ago = (seconds: number) => BigInt(time - seconds)
  return {
    time: BigInt(time),
    usdc: {
      borrowRate: 523n,
      fee: 1_000n,
      utilisation: 8_345n,
      updatedAt: ago(4_321),
      supplyPrice: 1_023_751_406_244n,
      borrowPrice: 1_056_789_012_345n,
      supplied: [345_678_901_234_567n, 0n],
      borrowed: [276_543_210_987_654n, 0n],
    },
    sol: {
      borrowRate: 712n,
      fee: 1_500n,
      utilisation: 6_789n,
      updatedAt: ago(1_234),
      supplyPrice: 1_035_313_131_313n,
      borrowPrice: 1_071_717_171_717n,
      supplied: [912_345_678_901_234n, 23_456_789_012_345n],
      borrowed: [612_345_678_901_234n, 12_345_678_901n],
    },
    lending: {
      sharePrice: 1_039_617_929_727n,
      liquidityPrice: 1_023_712_345_678n,
      updatedAt: ago(9_876),
      shares: 505_432_109_876_543n,
      held: 25_036_837_446n,
      rewards: {
        minAssets: 1_000_000n,
        duration: 5_000_000n,
        start: ago(1_000_000),
        yearly: 4_321_098_765_432n,
        nextDuration: 0n,
        nextAmount: 0n,
      },
    },
    vault: {
      type: 0,
      magnifiers: [-25, 50],
      prices: [1_031_234_567_890n, 1_061_234_567_890n],
      liquidityPrices: [1_035_212_121_212n, 1_056_712_345_678n],
      updatedAt: ago(6_543),
    },
    position: {
      supply: 12_345_678_901n,
      dust: 7_654_321n,
      tick: { tick: 2_463, ratio: 11_291_160_519_979_057n, id: 4 },
    },
    tick: { ids: 4, isLiquidated: false, ...NEVER },
    past: NEVER,
    branches: [],
    left: null,
  }
}

const VAULT = 2
const NFT_ID = 1_043
const NO_TICK = -(2 ** 31)

const little = (value: number, bytes: 2 | 4): Uint8Array => packed([[`u${bytes * 8}`, value]])
const ofVault = (name: string, ...ids: Uint8Array[]) => derived(VAULTS, [name, little(VAULT, 2), ...ids])
const biased = (tick: number) => little(tick + 16_383, 4)

type Fields = (readonly [IdlType, LayoutValue])[]

/** Encoded by hand in interface order: the codecs require packages that are not needed otherwise. */
export const jupiterLend = async (wallet: string, figures: JupiterLendFigures): Promise<Fixture> => {
  const lent = await lendingAccounts(wallet, figures)
  const vault = await vaultAccounts(wallet, figures)
  return {
    accounts: [
      ...lent.accounts,
      ...vault.accounts,
      await reserveAccount(USDC, figures.usdc),
      await reserveAccount(WRAPPED_SOL, figures.sol),
    ],
    held: [...lent.held, ...vault.held],
    expected: [position('lending', { supplied: [{ token: USDC, amountRaw: lentWorth(figures) }] }), ...owedIn(figures)],
  }
}

const reserveAccount = async (mint: string, of: JupiterReserveFigures): Promise<FixtureAccount> =>
  fixtureAccount(
    await derived(LIQUIDITY, ['reserve', addressBytes(mint)]),
    LIQUIDITY,
    handData('TokenReserve', [
      ['pubkey', mint],
      ['pubkey', addressOf(`jupiter vault of ${mint}`)],
      ['u16', of.borrowRate],
      ['u16', of.fee],
      ['u16', of.utilisation],
      ['u64', of.updatedAt],
      ['u64', of.supplyPrice],
      ['u64', of.borrowPrice],
      ['u16', 10_000n],
      [{ array: ['u64', 4] }, [...of.supplied, ...of.borrowed]],
      [{ array: ['u8', 56] }, []],
    ]),
  )

const lendingAccounts = async (wallet: string, { lending }: JupiterLendFigures) => {
  const mint = await derived(LENDING, ['f_token_mint', addressBytes(USDC)])
  const rewardsAt = await derived(REWARDS, ['lending_rewards_rate_model', addressBytes(USDC)])
  const { rewards } = lending
  const data = handData('Lending', [
    ['pubkey', USDC],
    ['pubkey', mint],
    ['u16', 1],
    ['u8', 6],
    ['pubkey', rewards ? rewardsAt : NOBODY],
    ['u64', lending.liquidityPrice],
    ['u64', lending.sharePrice],
    ['u64', lending.updatedAt],
    ['pubkey', await derived(LIQUIDITY, ['reserve', addressBytes(USDC)])],
    ['pubkey', addressOf('jupiter supply position')],
    ['u8', 255],
  ])
  const token = { mint, amountRaw: lending.held, decimals: 6 }
  const authority = await derived(LENDING, ['lending_admin'])
  return {
    accounts: [
      fixtureAccount(await derived(LENDING, ['lending', addressBytes(USDC), addressBytes(mint)]), LENDING, data),
      ...(rewards ? [fixtureAccount(rewardsAt, REWARDS, rewardsData(rewards))] : []),
      ...(await heldAccounts(wallet, token, lending.shares, authority)),
    ],
    held: [token],
  }
}

const rewardsData = (of: JupiterRewardFigures) =>
  handData('LendingRewardsRateModel', [
    ['pubkey', USDC],
    ['u64', of.minAssets],
    ['u64', of.duration],
    ['u64', of.start],
    ['u64', of.yearly],
    ['u64', of.nextDuration],
    ['u64', of.nextAmount],
    ['u8', 254],
  ])

const vaultAccounts = async (wallet: string, figures: JupiterLendFigures) => {
  const mint = await ofVault('position_mint', little(NFT_ID, 4))
  const token = { mint, amountRaw: 1n, decimals: 0 }
  const of: OfVault = (at, kind, fields) => fixtureAccount(at, VAULTS, handData(kind, fields))
  const { vault, position: held, branches } = figures
  return {
    accounts: [
      of(await ofVault('position', little(NFT_ID, 4)), 'Position', [
        ['u16', VAULT],
        ['u32', NFT_ID],
        ['pubkey', mint],
        ['u8', held.tick ? 0 : 1],
        ['i32', held.tick?.tick ?? NO_TICK],
        ['u32', held.tick?.id ?? 0],
        ['u64', held.supply],
        ['u64', held.dust],
      ]),
      of(await ofVault('vault_config'), 'VaultConfig', [
        ['u16', VAULT],
        ['i16', vault.magnifiers[0]],
        ['i16', vault.magnifiers[1]],
        [{ array: ['u16', 5] }, [750n, 800n, 900n, 100n, 20n]],
        ['u8', 0],
        ['u8', vault.type],
        [{ array: ['pubkey', 4] }, Array(4).fill(addressOf('jupiter configuration'))],
        ['pubkey', WRAPPED_SOL],
        ['pubkey', USDC],
        ['u8', 255],
      ]),
      of(await ofVault('vault_state'), 'VaultState', [
        ['u16', VAULT],
        [{ array: ['u8', 73] }, []],
        [{ array: ['u64', 4] }, [...vault.liquidityPrices, ...vault.prices]],
        ['u32', NFT_ID + 1],
        ['u64', vault.updatedAt],
      ]),
      of(await ofVault('vault_metadata'), 'VaultMetadata', [
        ['u16', VAULT],
        ['pubkey', addressOf('jupiter table')],
        ['u8', 9],
        ['u8', 6],
      ]),
      ...(held.tick ? await tickAccounts(held.tick, figures, of) : []),
      ...(await branchAccounts(branches, of)),
      ...(await heldAccounts(wallet, token, 1n)),
      await nftMetadata(mint),
    ],
    held: [token],
  }
}

type OfVault = (at: string, kind: string, fields: Fields) => FixtureAccount

const branchAccounts = (branches: JupiterLendFigures['branches'], of: OfVault): Promise<FixtureAccount[]> =>
  Promise.all(
    branches.map(async ({ id, status, tick, partials, factor, connected }) =>
      of(await ofVault('branch', little(id, 4)), 'Branch', [
        ['u16', VAULT],
        ['u32', id],
        ['u8', status],
        ['i32', tick],
        ['u32', partials],
        ['u64', 1n],
        ['u64', factor],
        ['u32', connected],
        ['i32', NO_TICK],
      ]),
    ),
  )

const tickAccounts = async ({ tick, id }: { tick: number; id: number }, figures: JupiterLendFigures, of: OfVault) => {
  const group = Math.floor((id + 2) / 3)
  const liquidation = (one: LiquidationFigures): Fields => [
    ['bool', one.isFullyLiquidated],
    ['u32', one.branch],
    ['u64', one.factor],
  ]
  return [
    of(await ofVault('tick', biased(tick)), 'Tick', [
      ['u16', VAULT],
      ['i32', tick],
      ['bool', figures.tick.isLiquidated],
      ['u32', figures.tick.ids],
      ['u64', 1n],
      ...liquidation(figures.tick),
    ]),
    of(await ofVault('tick_id_liquidation', biased(tick), little(group, 4)), 'TickIdLiquidation', [
      ['u16', VAULT],
      ['i32', tick],
      ['u32', group],
      ...[0, 1, 2].flatMap((place) => liquidation((id + 2) % 3 === place ? figures.past : NEVER)),
    ]),
  ]
}

const nftMetadata = async (mint: string) => {
  const texts = [`jupiter vault ${VAULT}`, `jv${VAULT}`, ''].map((text) => new TextEncoder().encode(text))
  const data = packed([
    ['u8', 4],
    ['pubkey', await derived(VAULTS, ['vault_admin'])],
    ['pubkey', mint],
    ...texts.flatMap(
      (text): Fields => [
        ['u32', text.length],
        [{ array: ['u8', text.length] }, text],
      ],
    ),
  ])
  return fixtureAccount(
    await derived(METADATA, ['metadata', addressBytes(METADATA), addressBytes(mint)]),
    METADATA,
    data,
  )
}

const Exact = Decimal.clone({ precision: 160 })
const exact = (value: bigint | number) => new Exact(value.toString())
const integer = (value: Decimal) => BigInt(value.toFixed(0))
const YEAR = 365 * 24 * 60 * 60
const ONE = exact(10n ** 12n)

/** The smaller over the larger, to the basis point. */
const ratio = ([a, b]: readonly [bigint, bigint]) =>
  a + b === 0n
    ? exact(0)
    : Exact.min(exact(a), exact(b))
        .mul(10_000)
        .div(Exact.max(exact(a), exact(b)))
        .floor()
        .div(10_000)

/** A supplier's share with interest relative to all suppliers'. */
const receiving = (supplied: readonly [bigint, bigint]) => {
  if (supplied[0] >= supplied[1]) return ratio(supplied).add(1)
  return ratio(supplied).eq(0) ? exact(0) : cut(exact(1).div(ratio(supplied))).add(1)
}

/** The program's precision is 10^-17. */
const cut = (value: Decimal) => value.toDecimalPlaces(17, Decimal.ROUND_DOWN)

/** The program's own rounding. The suppliers' part is to the basis point. */
const grown = (of: JupiterReserveFigures, time: bigint) => {
  const years = exact(time - of.updatedAt).div(YEAR)
  const [bears, isPaid] = [of.borrowed[0] > 0n, of.borrowed[0] > 0n && of.supplied[0] > 0n]
  const rate = exact(of.borrowRate).div(10_000)
  const borrowPrice = exact(of.borrowPrice)
  const debt = bears ? borrowPrice.add(borrowPrice.mul(rate).mul(years).ceil()) : borrowPrice
  if (!isPaid) return [exact(of.supplyPrice), debt] as const
  const free = cut(ratio(of.borrowed).div(ratio(of.borrowed).add(1)))
  const paying = of.borrowed[0] < of.borrowed[1] ? free : exact(1).sub(free)
  const part = cut(cut(receiving(of.supplied).mul(exact(of.utilisation)).div(10_000)).mul(paying))
    .mul(10_000)
    .floor()
    .div(10_000)
  const net = rate.mul(part).mul(exact(10_000n - of.fee).div(10_000))
  const supplyPrice = exact(of.supplyPrice)
  return [supplyPrice.add(supplyPrice.mul(net).mul(years).floor()), debt] as const
}

const lentWorth = ({ lending, usdc, time }: JupiterLendFigures): bigint => {
  const [liquidity] = grown(usdc, time)
  const price = exact(lending.sharePrice)
  const unit = exact(10n ** 14n)
  const interest = liquidity.div(exact(lending.liquidityPrice)).sub(1).mul(unit).floor()
  const rewarded = rewardsOf(lending, time).mul(unit)
  const now = price.add(price.mul(interest.add(rewarded)).div(unit).floor())
  return integer(exact(lending.held).mul(now).div(ONE).floor())
}

/** Both phases, in steps of 10^-14. */
const rewardsOf = (
  { rewards, sharePrice, shares, updatedAt }: JupiterLendFigures['lending'],
  time: bigint,
): Decimal => {
  const assets = (sharePrice * shares) / 10n ** 12n
  if (!rewards || rewards.start === 0n || time < rewards.start || assets < rewards.minAssets) return exact(0)
  const step = exact(10n ** 14n)
  const phase = (yearly: Decimal, from: bigint, until: bigint) => {
    const seconds = Math.max(0, Math.min(Number(time), Number(until)) - Math.max(Number(updatedAt), Number(from)))
    const rate = Exact.min(yearly.mul(step).div(exact(assets)).floor(), step.div(2))
    return rate.mul(seconds).div(YEAR).floor().div(step)
  }
  const end = rewards.start + rewards.duration
  const next =
    rewards.nextAmount > 0n ? exact(rewards.nextAmount).mul(YEAR).div(exact(rewards.nextDuration)).floor() : exact(0)
  return phase(exact(rewards.yearly), rewards.start, end).add(phase(next, end, end + rewards.nextDuration))
}

const owedIn = (figures: JupiterLendFigures) => {
  const { vault, position: held, time } = figures
  const debt = held.tick
    ? exact(held.tick.ratio)
        .mul(exact(held.supply + 1n))
        .div(exact(2n ** 48n))
        .floor()
        .add(1)
        .sub(exact(held.dust))
    : exact(0)
  const left = figures.left && figures.left.debt > held.dust ? figures.left : { supply: 0n, debt: held.dust }
  const raw = figures.left
    ? { supply: exact(left.supply), debt: exact(left.debt - held.dust) }
    : { supply: exact(held.supply), debt }
  const liquidity = [grown(figures.sol, time)[0], grown(figures.usdc, time)[1]] as const
  const years = exact(time - vault.updatedAt).div(YEAR)
  const price = (side: 0 | 1) => {
    const growth = liquidity[side]
      .div(exact(vault.liquidityPrices[side]))
      .mul(exact(10n ** 18n))
      .floor()
      .div(exact(10n ** 18n))
    const own = exact(vault.prices[side])
    const added = own.mul(years).mul(Math.abs(vault.magnifiers[side])).div(10_000).floor()
    const followed = own.mul(growth)
    return (side === 0 ? followed.floor() : followed.ceil()).add(vault.magnifiers[side] < 0 ? added.neg() : added)
  }
  const some = (token: string, amountRaw: bigint) => (amountRaw > 0n ? [{ token, amountRaw }] : [])
  const supplied = some(WRAPPED_SOL, integer(raw.supply.mul(price(0)).div(ONE).floor()))
  // The vault counts USDC with 9 decimals too.
  const borrowed = some(USDC, integer(raw.debt.mul(price(1)).div(ONE).div(1_000).ceil()))
  return supplied.length + borrowed.length > 0 ? [position('lending', { supplied, borrowed })] : []
}
