import { type Address, parseEther, parseUnits } from 'viem'
import { pagesOf } from '../../src/lib/pages.ts'
import type { Stage } from './stage.ts'

export type Gap = { protocol?: string; reason: string }

/**
 * On top of honest holdings, in 10^-60 dollars. `cost`: of assets in net worth. `unknown`: contracts of unknown cost,
 * in neither cost nor open PnL.
 */
export type Expected = { worth?: bigint; cost?: bigint; gaps?: Gap[]; unknown?: readonly Address[] }

/** `contracts`: those that the search must find. */
export type Planted = {
  contracts: readonly Address[]
  /** Further untrusted tokens that are shown. */
  tokens?: readonly Address[]
  expected?: Expected
  /** Attack after a read. `turned`: expected at the next read, `atLast`: some reads later. */
  turn?(): Promise<unknown>
  turned?: Expected
  atLast?: Expected
}

export type Case = { name: string; plant(stage: Stage, wallet: Address): Promise<Planted> }

const usd = (figure: string) => parseUnits(figure, 60)
const usdc = (figure: string) => parseUnits(figure, 6)
const SHARES = parseEther('1000')

const kept = (worth: bigint) => ({ worth, cost: worth })
/** At every read. */
const always = (expected: Expected) => ({ expected, turned: expected, atLast: expected })
const HUNDRED = kept(usd('100'))

/** Vault of 100 USDC, all of the wallet. */
async function honestVault({ vault, tokens }: Stage, wallet: Address) {
  const planted = await vault(tokens.usdc, usdc('100'))
  await planted.mint(wallet, SHARES)
  return planted
}

type Vault = Awaited<ReturnType<typeof honestVault>>

function turningVault(
  name: string,
  turn: (vault: Vault, stage: Stage) => Promise<unknown>,
  after: Omit<Planted, 'contracts'> = {},
): Case {
  return {
    name: `a vault: ${name}`,
    async plant(stage, wallet) {
      const vault = await honestVault(stage, wallet)
      return { contracts: [vault.address], expected: HUNDRED, turn: () => turn(vault, stage), ...after }
    },
  }
}

const vaults: Case[] = [
  turningVault('honest', async () => undefined, always(HUNDRED)),
  turningVault('honest, then with a rate of 10^30', (vault) => vault.turn({ rates: 'huge' }), always(HUNDRED)),
  turningVault('honest, then a rate of nothing', (vault) => vault.turn({ rates: 'zero' })),
  turningVault('honest, then emptied', (vault) => vault.drain()),
  turningVault('honest, then emptied and boasting', (vault) => vault.drain().then(() => vault.turn({ rates: 'huge' }))),
  turningVault('honest, then of no supply', (vault) => vault.turn({ supplies: 'zero', rates: 'huge' })),
  turningVault('honest, then of a supply of 10^30', (vault) => vault.turn({ supplies: 'huge', rates: 'huge' })),
  turningVault('honest, then of balances above its supply', (vault) => vault.turn({ balances: 'huge', rates: 'huge' })),
  // It redeems only shares that the wallet has.
  turningVault('honest, then says 10^30 of everybody', (vault) => vault.turn({ supplies: 'huge', balances: 'huge' })),
  turningVault('honest, then lies about its supply, its rate and the wallet at once', (vault) =>
    vault.turn({ supplies: 'huge', rates: 'huge', balances: 'huge' }),
  ),
  turningVault('honest, then redeems nothing', (vault) => vault.turn({ pays: 'zero' })),
  turningVault('honest, then refuses to redeem', (vault) => vault.turn({ pays: 'revert' })),
  turningVault('honest, then burns all gas of a redemption', (vault) => vault.turn({ pays: 'burnGas' })),
  turningVault('honest, then of another asset', (vault, { tokens }) => vault.turnAsset(tokens.link)),
  turningVault('honest, then with a rate that reverts', (vault) => vault.turn({ rates: 'revert' })),
  turningVault('honest, then with a rate that burns gas', (vault) => vault.turn({ rates: 'burnGas' })),
  turningVault('honest, then with a supply that burns gas', (vault) => vault.turn({ supplies: 'burnGas' })),
  turningVault('honest, then with a supply that reverts', (vault) => vault.turn({ supplies: 'revert' })),
  {
    name: 'a vault: 10^24 shares of no supply',
    async plant({ vault, tokens }, wallet) {
      const empty = await vault(tokens.usdc)
      await empty.mint(wallet, 10n ** 24n)
      await empty.turn({ supplies: 'zero', rates: 'huge' })
      return { contracts: [empty.address] }
    },
  },
  {
    name: 'a vault: one unit behind 10^24 shares',
    async plant({ vault, tokens }, wallet) {
      const thin = await vault(tokens.usdc, 1n)
      await thin.mint(wallet, 10n ** 24n)
      return { contracts: [thin.address], ...always(kept(usd('0.000001'))) }
    },
  },
  {
    name: 'a vault: half of its shares',
    async plant(stage, wallet) {
      const vault = await honestVault(stage, wallet)
      await vault.mint(stage.maker, SHARES)
      // The wallet received all shares.
      return { contracts: [vault.address], ...always({ worth: usd('50'), cost: usd('100') }) }
    },
  },
  {
    name: 'a vault: it promises more than it holds from the start',
    async plant(stage, wallet) {
      const vault = await honestVault(stage, wallet)
      await vault.turn({ rates: 'huge' })
      return { contracts: [vault.address] }
    },
  },
  {
    name: 'a vault of a vault',
    async plant(stage, wallet) {
      const inner = await stage.vault(stage.tokens.usdc, usdc('100'))
      const outer = await stage.vault(inner.address)
      await inner.mint(outer.address, SHARES)
      await outer.mint(wallet, SHARES)
      return { contracts: [outer.address] }
    },
  },
  {
    name: 'a vault of a token that says any balance of it',
    async plant(stage, wallet) {
      const token = await stage.token({ balances: 'huge' })
      const vault = await stage.vault(token.address)
      await vault.mint(wallet, SHARES)
      return { contracts: [vault.address] }
    },
  },
  {
    name: 'a vault of the native coin',
    async plant(stage, wallet) {
      const vault = await stage.vault('0x0000000000000000000000000000000000000000')
      await vault.mint(wallet, SHARES)
      await vault.turn({ rates: 'huge' })
      return { contracts: [vault.address] }
    },
  },
]

const TOKEN_SIDE = parseEther('1000000')
const WETH_SIDE = parseEther('1')
/** √(10^24 × 10^18), less the thousand units that a first deposit burns. */
const SHARE = 10n ** 21n
/** A tenth of one WETH. The token has no price, so the share's cost is unknown. */
const TENTH = { worth: usd('300') }

const ofUnknownCost = (expected: Expected, unknown: readonly Address[]): Expected =>
  expected.worth ? { ...expected, unknown } : expected

function turningPair(
  name: string,
  turn: (token: Awaited<ReturnType<Stage['token']>>) => Promise<unknown>,
  after: Omit<Planted, 'contracts'> = {},
): Case {
  return {
    name: `a pair of which the token ${name}`,
    async plant(stage, wallet) {
      const token = await stage.token()
      const pair = await stage.pair(token, TOKEN_SIDE, WETH_SIDE)
      await pair.give(wallet, SHARE / 10n)
      const unknown = [pair.address]
      const { turned = {}, atLast = {} } = after
      return {
        ...{ contracts: unknown, expected: { ...TENTH, unknown }, turn: () => turn(token) },
        ...{ turned: ofUnknownCost(turned, unknown), atLast: ofUnknownCost(atLast, unknown) },
      }
    },
  }
}

const pairs: Case[] = [
  turningPair('stays honest', async () => undefined, { turned: TENTH, atLast: TENTH }),
  turningPair('refuses to say balances', (token) => token.turn({ balances: 'revert' })),
  turningPair('burns gas', (token) => token.turn({ balances: 'burnGas' })),
  turningPair('answers nothing', (token) => token.turn({ balances: 'nothing' })),
  // Reverts: burning would pay a part of the reported balance, more than the pair has.
  turningPair('says 2^111 of every contract', (token) => token.turn({ balances: 'hugeForContracts' })),
  turningPair('refuses to leave the pair', (token) => token.turn({ transfers: 'refused' })),
  turningPair('burns all gas when it leaves the pair', (token) => token.turn({ transfers: 'burnGas' })),
  {
    name: 'a share of a pair that is less than one unit of a side',
    async plant(stage, wallet) {
      const token = await stage.token()
      const pair = await stage.pair(token, 10n ** 30n, WETH_SIDE)
      // √(10^30 × 10^18) = 10^24: 10^5 of it are 10^11 of the token and no WETH unit.
      await pair.give(wallet, 10n ** 5n)
      return { contracts: [pair.address] }
    },
  },
]

const floods: Case[] = [
  {
    name: 'position NFTs: 1,100 of them',
    async plant(stage, wallet) {
      const tokens = await stage.positionNfts(wallet, 1_100)
      return { contracts: [], tokens, ...always({ gaps: [{ protocol: 'uniswap_v3', reason: 'unreadable' }] }) }
    },
  },
]

const POOLED = { token: parseEther('1000000'), weth: parseEther('50') }
const HELD = parseEther('1000')
const WEI_USD = 3000n

/**
 * Value of `shown` (18 decimals) where a pair pays for `sold` at once, less its 0.3 %. The price is rounded half to
 * even to 18 decimals, as prices are.
 */
function soldTo(reserves: { token: bigint; weth: bigint }, sold: bigint, shown = sold): bigint {
  const kept = sold * 997n
  const [numerator, denominator] = [
    kept * reserves.weth * WEI_USD * 10n ** 18n,
    (reserves.token * 1000n + kept) * shown,
  ]
  const [floor, rest] = [numerator / denominator, (numerator % denominator) * 2n]
  const isUp = rest > denominator || (rest === denominator && floor % 2n === 1n)
  return (isUp ? floor + 1n : floor) * shown * 10n ** 24n
}

/** As if sold at once. The price of one share has 18 decimals. */
function shareOf(
  shares: bigint,
  reserves: { token: bigint; weth: bigint },
  own: { token: bigint; weth: bigint },
): bigint {
  const kept = own.token * 997n
  const pool = reserves.token * 1000n + kept
  const numerator = (own.weth * pool + kept * reserves.weth) * WEI_USD * 10n ** 18n
  const denominator = pool * shares
  const isUp = (numerator % denominator) * 2n > denominator
  return (numerator / denominator + (isUp ? 1n : 0n)) * shares * 10n ** 24n
}

/** Token with a deep pool of real WETH. */
function pooled(name: string, modes: Parameters<Stage['token']>[0], after: Omit<Planted, 'contracts'> = {}): Case {
  return {
    name: `a token with a deep pool, ${name}`,
    async plant(stage, wallet) {
      const token = await stage.token()
      await stage.pair(token, POOLED.token, POOLED.weth)
      await token.mint(wallet, HELD)
      await token.turn(modes ?? {})
      return { contracts: [token.address], ...after }
    },
  }
}

const sold = kept(soldTo(POOLED, HELD))

const sales: Case[] = [
  pooled('that anybody can sell', {}, always(sold)),
  pooled('that only its maker can sell', { transfers: 'refused' }),
  pooled('of which a transfer answers false', { transfers: 'false' }),
  pooled('of which half arrives', { transfers: 'halfArrives' }),
  pooled('of which nothing arrives', { transfers: 'swallowed' }),
  pooled('of which a transfer burns all gas', { transfers: 'burnGas' }),
  pooled('that goes to no contract', { transfers: 'refusedToContracts' }),
  pooled('that goes where nobody signs', { transfers: 'refusedWithOrigin' }),
  pooled('that only contracts can sell', { transfers: 'refusedFromAccounts' }),
  {
    name: 'a token with a deep pool, that turns',
    async plant(stage, wallet) {
      const token = await stage.token()
      await stage.pair(token, POOLED.token, POOLED.weth)
      await token.mint(wallet, HELD)
      return { contracts: [token.address], expected: sold, turn: () => token.turn({ transfers: 'refused' }) }
    },
  },
  {
    name: 'a pool half owned by the wallet, with a million of its token',
    async plant(stage, wallet) {
      const token = await stage.token()
      const pair = await stage.pair(token, parseEther('400'), parseEther('100'))
      // √(400 × 100) = 200 shares: half of them are 200 of the token and 50 WETH.
      await pair.give(wallet, parseEther('100'))
      await token.mint(wallet, parseEther('1000000'))
      const others = { token: parseEther('200'), weth: parseEther('50') }
      const worth = usd('150000') + soldTo(others, parseEther('1000000'), parseEther('1000200'))
      // The share came first, when all of the pool was its market.
      const all = { token: parseEther('400'), weth: parseEther('100') }
      const share = shareOf(parseEther('100'), all, others)
      const cost = share + soldTo(all, parseEther('1000000'))
      return { contracts: [token.address, pair.address], ...always({ worth, cost }) }
    },
  },
  {
    name: 'a pool of which the wallet owns nine tenths, and a million of its token',
    async plant(stage, wallet) {
      const token = await stage.token()
      const pair = await stage.pair(token, parseEther('1000'), parseEther('10'))
      // √(1000 × 10) = 100 shares: ninety are 900 of the token and 9 WETH. One WETH is left: no market.
      await pair.give(wallet, parseEther('90'))
      await token.mint(wallet, parseEther('1000000'))
      const all = { token: parseEther('1000'), weth: parseEther('10') }
      const ninety = { token: parseEther('900'), weth: parseEther('9') }
      return {
        contracts: [token.address, pair.address],
        ...always({ worth: usd('27000'), cost: shareOf(parseEther('90'), all, ninety) }),
      }
    },
  },
  {
    name: 'a share of a deep pool of a token that the wallet does not hold',
    async plant(stage, wallet) {
      const token = await stage.token()
      const pair = await stage.pair(token, parseEther('400'), parseEther('100'))
      await pair.give(wallet, parseEther('20'))
      const all = { token: parseEther('400'), weth: parseEther('100') }
      const tenth = { token: parseEther('40'), weth: parseEther('10') }
      return {
        contracts: [pair.address],
        ...always({ worth: usd('30000'), cost: shareOf(parseEther('20'), all, tenth) }),
      }
    },
  },
]

const gift = (name: string, facts: Parameters<Stage['token']>[0], value = parseEther('1000')): Case => ({
  name: `a token ${name}`,
  async plant(stage, wallet) {
    const token = await stage.token(facts)
    await token.mint(wallet, value)
    return { contracts: [token.address] }
  },
})

const gifts: Case[] = [
  gift('that is called USDC', { name: 'USD Coin', symbol: 'USDC', decimals: 6 }),
  gift('that is called ETH', { name: 'Ether', symbol: 'ETH' }),
  gift('of 255 decimals', { decimals: 255 }),
  gift('of no decimals', { decimals: 0 }, 2n ** 200n),
  gift('of 2^256 - 1 units', {}, 2n ** 256n - 1n),
  gift('of 77 decimals', { decimals: 77 }),
  gift('of one unit', {}, 1n),
  gift('that nobody may move', { transfers: 'refused' }),
  gift('with a script in its name', { name: '<script>alert(1)</script>', symbol: '"><b>' }),
  gift('that says 2^111 of every contract', { balances: 'hugeForContracts' }),
  gift('without a symbol', { symbol: '', name: '' }),
  gift('with a NUL in its name', { name: 'a\u0000b', symbol: '\u0000' }),
  gift('with a symbol of 10,000 characters', { symbol: 'x'.repeat(10_000) }),
  gift('with a link in its name', { name: 'Claim at https://free.example', symbol: 'FREE' }),
  gift('with a right-to-left symbol', { symbol: '\u202eCDSU' }),
  gift('that says 2^96 of everybody', { balances: 'huge' }),
  gift('that refuses to say balances', { balances: 'revert' }),
  gift('that burns all gas', { balances: 'burnGas' }),
  gift('that answers nothing', { balances: 'nothing' }),
  gift('that answers 100,000 bytes', { balances: 'long' }),
  gift('that refuses in 100,000 bytes', { balances: 'longRevert' }),
  gift('that tells nothing of itself', { facts: 'revert' }),
  gift('of which 100,000 bytes tell', { facts: 'long' }),
  {
    name: 'a Transfer that nothing stands behind',
    async plant(stage, wallet) {
      const token = await stage.token()
      await token.pretend(stage.maker, wallet, parseEther('5'))
      return { contracts: [token.address] }
    },
  },
  {
    name: 'a Transfer from the wallet that never was',
    async plant(stage, wallet) {
      const token = await stage.token()
      await token.pretend(wallet, stage.maker, parseEther('5'))
      return { contracts: [] }
    },
  },
]

/** Failing untrusted contracts have no worth and mark nothing. */
const failures: Case[] = [
  {
    name: 'a pair whose token has 77 decimals',
    async plant(stage, wallet) {
      const token = await stage.token({ decimals: 77 })
      const pair = await stage.pair(token, TOKEN_SIDE, WETH_SIDE)
      await pair.give(wallet, SHARE / 10n)
      return { contracts: [pair.address], ...always({ ...TENTH, unknown: [pair.address] }) }
    },
  },
  {
    name: 'a token that refuses to say balances once it was held',
    async plant(stage, wallet) {
      const token = await stage.token()
      await token.mint(wallet, parseEther('5'))
      return { contracts: [token.address], turn: () => token.turn({ balances: 'revert' }) }
    },
  },
]

/** One listed token may turn against its holder. */
const listed: Case[] = [
  {
    name: 'a listed token that refuses its holder at the first read',
    async plant({ listedToken }, wallet) {
      await listedToken.mint(wallet, parseEther('5'))
      await listedToken.turn({ balances: 'revertForHolders' })
      return { contracts: [], tokens: [listedToken.address], ...always({ gaps: [{ reason: 'unreadable' }] }) }
    },
  },
]

export const NOTHING: Required<Expected> = { worth: 0n, cost: 0n, gaps: [], unknown: [] }

/** A mark names no contract: each case has its own wallet. */
const marked = [...floods, ...listed]
const unmarked = [...vaults, ...pairs, ...sales, ...gifts, ...failures]

/** Worths and costs on a wallet add up. */
export function casesOf(perWallet: number): Case[] {
  return [...pagesOf(unmarked, perWallet).map(together), ...marked]
}

const together = (group: readonly Case[]): Case => ({
  name: group.map(({ name }) => name).join('; '),
  async plant(stage, wallet) {
    const planted: Planted[] = []
    for (const one of group) planted.push(await one.plant(stage, wallet))
    return {
      contracts: planted.flatMap(({ contracts }) => contracts),
      tokens: planted.flatMap(({ tokens = [] }) => tokens),
      expected: sumOf(planted.map(({ expected }) => expected)),
      turned: sumOf(planted.map(({ turned }) => turned)),
      atLast: sumOf(planted.map(({ atLast }) => atLast)),
      async turn() {
        for (const { turn } of planted) await turn?.()
      },
    }
  },
})

function sumOf(parts: readonly (Expected | undefined)[]): Expected {
  const whole = parts.map((part) => ({ ...NOTHING, ...part }))
  return {
    worth: whole.reduce((sum, { worth }) => sum + worth, 0n),
    cost: whole.reduce((sum, { cost }) => sum + cost, 0n),
    gaps: whole.flatMap(({ gaps }) => gaps),
    unknown: whole.flatMap(({ unknown }) => unknown),
  }
}
