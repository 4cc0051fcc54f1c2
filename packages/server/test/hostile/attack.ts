import { addresses, eulerAccount, type MarketParams, marketId, ownArtifact, poolKeyOf } from '@coffer/devnet'
import {
  type Address,
  encodeFunctionData,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseUnits,
  zeroAddress,
  zeroHash,
} from 'viem'
import type { Random } from '../random-of.ts'
import type { Arena, Coin, Real } from './arena.ts'
import { keysOf, tokenModes, vaultModes } from './stage.ts'

/** `parked`: real tokens taken, in 10^-60 dollars. `contracts`: the attacker's, in order of creation. */
export type Attack = {
  name: string
  reported: string
  parked: bigint
  contracts: ReadonlySet<string>
  turn(): Promise<void>
}

type Scene = {
  arena: Arena
  wallet: Address
  random: Random
  reported: string[]
  contracts: Set<string>
  parked: { usd: bigint }
  /** Shortest attack: one vault, honest but for its supply. */
  isPlain: boolean
  turns: (() => Promise<unknown>)[]
}

const at = addresses.ethereum
const { usdc, weth, link } = at.tokens
/** `usd`: dollars per unit, by the local feeds. */
const REAL = [
  { token: weth, usd: 3000n, decimals: 18, most: parseEther('8') },
  { token: usdc, usd: 1n, decimals: 6, most: parseUnits('20000', 6) },
  { token: link, usd: 15n, decimals: 18, most: parseEther('1000') },
] as const
const DIGITS = 60
const V3_FEE = 3_000
const V4_FEE = { fee: 3_000, tickSpacing: 60 }
const LLTV = parseEther('0.86')
const HUGE_PRICE = 10n ** 36n
const LOOPS = 4
const LOAN = parseUnits('1000', 6)

const nftAbi = parseAbi(['function transferFrom(address from, address to, uint256 id)'])
const vaultAbi = parseAbi([
  'function conjure(address to, uint256 value)',
  'function pretend(address to, uint256 value)',
])
const tokenAbi = parseAbi(['function aim(address target, bytes reentry)'])
const reentryAbi = parseAbi([
  'function sync()',
  'function skim(address to)',
  'function lend(address token, uint256 value)',
])
const syAbi = parseAbi([
  'function conjure(address to, uint256 shares)',
  'function report(uint256 supply)',
  'function setClaim(uint256 claimed)',
  'function setRate(uint256 rate)',
])
const vaultsAbi = parseAbi([
  'event CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)',
])
const managerAbi = parseAbi([
  'struct Op { uint8 kind; bytes32 poolId; address token; uint256 amount; }',
  'function managePoolBalance(Op[] ops)',
])
const strangerAbi = parseAbi([
  'function list(address vault, address token, address manager)',
  'function pretend(address to, uint256 value)',
  'function say(bytes32 id, uint256 held, uint256 supply)',
  'function getPoolId() view returns (bytes32)',
])

function park({ parked, reported }: Scene, { token, amount }: Real): Real {
  const found = REAL.find((each) => each.token === token)
  if (!found) throw new Error(`${token} has no feed`)
  parked.usd += amount * found.usd * 10n ** BigInt(DIGITS - found.decimals)
  reported.push(`parks ${amount} of ${token}`)
  return { token, amount }
}

function drawReal(scene: Scene): Real {
  const { token, decimals, most } = scene.random.pick(REAL)
  return park(scene, { token, amount: scene.random.amount(10n ** BigInt(decimals - 3), most) })
}

function note({ contracts }: Scene, ...addresses: readonly Address[]): void {
  for (const address of addresses) contracts.add(address.toLowerCase())
}

const NAMES = ['Gift', 'USD Coin', 'Nova', 'Wrapped Ether', 'a\u0000b']
const DECIMALS = [18, 18, 18, 6, 8, 0, 24, 36]

async function token(scene: Scene): Promise<Coin> {
  const { arena, wallet, random, reported, turns } = scene
  const decimals = random.pick(DECIMALS)
  const made = await arena.stage.token({ name: random.pick(NAMES), symbol: random.pick(NAMES), decimals })
  note(scene, made.address)
  const reentries = [
    encodeFunctionData({ abi: reentryAbi, functionName: 'sync' }),
    encodeFunctionData({ abi: reentryAbi, functionName: 'skim', args: [wallet] }),
    encodeFunctionData({ abi: reentryAbi, functionName: 'lend', args: [usdc, 1_000_000n] }),
  ]
  const aim = [random.pick([wallet, at.uniswapV2.pairs.usdcWeth]), random.pick(reentries)] as const
  const { chain, maker } = arena.stage
  await chain.write({ from: maker, address: made.address, abi: tokenAbi, functionName: 'aim', args: aim })
  if (random.index(2) === 0) await made.pretend(maker, wallet, 1n)
  const [first, later] = [tokenModes(random), tokenModes(random)]
  reported.push(`token of ${decimals} decimals ${JSON.stringify([first, later])}`)
  turns.push(
    () => made.turn(first),
    () => made.turn(later),
  )
  return { address: made.address, have: random.amount(10n ** 6n, 10n ** 30n), give: made.mint }
}

/** Vault of a real token or an attacker's coin. Its supply may leave out most shares. */
async function vault(scene: Scene, of?: Coin): Promise<Coin> {
  const { arena, random, reported, turns } = scene
  const { chain, maker } = arena.stage
  const real = of ? undefined : drawReal(scene)
  const made = await arena.stage.vault(of?.address ?? real?.token ?? usdc, real?.amount ?? 0n)
  note(scene, made.address)
  if (of) await of.give(made.address, of.have / 2n)
  await made.mint(maker, random.amount(1n, random.pick([10n ** 18n, 10n ** 24n])))
  // Logs that name the wallet lead to the vault, which the wallet need not hold.
  const named = { from: maker, address: made.address, abi: vaultAbi, functionName: 'pretend' } as const
  if (scene.isPlain || random.index(3) > 0) await chain.write({ ...named, args: [scene.wallet, 1n] })
  const isConjured = scene.isPlain || random.index(3) > 0
  const conjure = (to: Address, raw: bigint) =>
    chain.write({ from: maker, address: made.address, abi: vaultAbi, functionName: 'conjure', args: [to, raw] })
  const first = scene.isPlain || random.index(2) === 0 ? {} : vaultModes(random)
  const later = vaultModes(random)
  reported.push(`vault${of ? ' of that' : ''}, conjured ${isConjured} ${JSON.stringify([first, later])}`)
  turns.push(
    () => made.turn(first),
    () => made.turn(later),
  )
  return { address: made.address, have: random.amount(10n ** 15n, 10n ** 28n), give: isConjured ? conjure : made.mint }
}

async function share(scene: Scene, coin: Coin): Promise<Coin> {
  const { pools } = scene.arena.shares
  const kind = scene.random.pick(keysOf(pools))
  const raw = coin.have / scene.random.amount(2n, 10n)
  const made = await pools[kind](coin, raw, drawReal(scene))
  note(scene, made.address)
  scene.reported.push(`share of ${String(kind)} with ${raw} of that`)
  return made
}

const some = ({ random }: Scene, { have }: Coin) => have / random.amount(1n, 10n) || 1n

type Carrier = (scene: Scene, coin: Coin) => Promise<unknown>

/** Sends the coin, or a stake of it where a gauge takes it. */
const direct: Carrier = async (scene, coin) => {
  await coin.give(scene.wallet, some(scene, coin))
}

const stakedShare: Carrier = async (scene, coin) => {
  const made = await share(scene, coin)
  const stake = await scene.arena.shares.gauged(made)
  note(scene, stake.address)
  await stake.give(scene.wallet, some(scene, stake))
}

const pooled =
  (kind: keyof Arena['shares']['pools']): Carrier =>
  async (scene, coin) => {
    const made = await scene.arena.shares.pools[kind](coin, some(scene, coin), drawReal(scene))
    note(scene, made.address)
    await made.give(scene.wallet, some(scene, made))
  }

async function sidesOf(scene: Scene, coin: Coin) {
  const { chain, maker } = scene.arena.stage
  const real = drawReal(scene)
  const raw = some(scene, coin)
  await coin.give(maker, raw)
  await chain.actions.erc20.mint(real.token, maker, real.amount)
  return [{ token: coin.address, amount: raw }, real] as const
}

async function send({ arena: { stage }, wallet }: Scene, manager: Address, id: bigint): Promise<void> {
  const args = [stage.maker, wallet, id] as const
  await stage.chain.write({ from: stage.maker, address: manager, abi: nftAbi, functionName: 'transferFrom', args })
}

const rangeV3: Carrier = async (scene, coin) => {
  const { chain, maker } = scene.arena.stage
  const sides = await sidesOf(scene, coin)
  const { uniswapV3 } = chain.actions
  await uniswapV3.createPool(...sides, V3_FEE, maker)
  await send(scene, at.uniswapV3.manager, await uniswapV3.mint(maker, ...sides, V3_FEE, 'full'))
}

const rangeV4: Carrier = async (scene, coin) => {
  const { chain, maker } = scene.arena.stage
  const sides = await sidesOf(scene, coin)
  const { uniswapV4 } = chain.actions
  const key = poolKeyOf(sides[0].token, sides[1].token, V4_FEE.fee, V4_FEE.tickSpacing)
  await uniswapV4.createPool(...sides, key, maker)
  await uniswapV4.mint(maker, key, 'full', {
    liquidity: spanning(sides[0].amount * sides[1].amount),
    owner: scene.wallet,
  })
}

/** Liquidity over every price, for a little less than both sides. `product`: of the sides. */
function spanning(product: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(product))))
  while (root * root > product) root -= root / 1_000_000n + 1n
  return (root * 99n) / 100n
}

const rangeAlgebra: Carrier = async (scene, coin) => {
  const { algebra, algebraAt, stage } = scene.arena
  const sides = await sidesOf(scene, coin)
  await algebra.createPool(...sides, stage.maker)
  await send(scene, algebraAt.manager, await algebra.mint(stage.maker, ...sides, 'full'))
}

async function openMarket({ arena: { stage } }: Scene, of: Pick<MarketParams, 'loanToken' | 'collateralToken'>) {
  const { morpho } = stage.chain.actions
  const oracle = await stage.chain.deploy(ownArtifact('SettableOracle'))
  await morpho.setPrice(oracle, HUGE_PRICE)
  const market = { ...of, oracle, irm: at.morpho.irm, lltv: LLTV }
  await morpho.createMarket(market)
  return market
}

const morphoCollateral: Carrier = async (scene, coin) => {
  const { chain, maker } = scene.arena.stage
  const market = await openMarket(scene, { loanToken: usdc, collateralToken: coin.address })
  const raw = some(scene, coin)
  await coin.give(maker, raw)
  await chain.actions.morpho.supplyCollateral(maker, market, raw, scene.wallet)
}

const morphoLoan: Carrier = async (scene, coin) => {
  const { chain, maker } = scene.arena.stage
  const market = await openMarket(scene, { loanToken: coin.address, collateralToken: weth })
  const raw = some(scene, coin)
  await coin.give(maker, raw)
  await chain.actions.morpho.supply(maker, market, raw, scene.wallet)
}

/** For the wallet and its sub-accounts. */
const eulerVault: Carrier = async (scene, coin) => {
  const { chain, maker } = scene.arena.stage
  const { euler } = chain.actions
  const made = await euler.createVault(coin.address, at.euler.oracle)
  note(scene, made)
  for (const number of [0, 1]) {
    const raw = some(scene, coin) / 2n || 1n
    await coin.give(maker, raw)
    await euler.call(maker, made, 'deposit', raw, eulerAccount(scene.wallet, number))
  }
}

/** Worthless collateral that the attacker's market takes for anything. */
async function junk({ arena }: Scene, to: Address) {
  const made = await arena.stage.token()
  await made.mint(to, 10n ** 30n)
  return made.address
}

/** MetaMorpho vaults over one market: the same dollars are lent, borrowed and deposited again. */
const morphoVaults: Carrier = async (scene) => {
  const { chain, maker, random } = scene.arena.stage
  const { morpho } = chain.actions
  const { amount } = park(scene, { token: usdc, amount: LOAN })
  await chain.actions.erc20.mint(usdc, maker, amount)
  const market = await openMarket(scene, { loanToken: usdc, collateralToken: await junk(scene, maker) })
  await morpho.supplyCollateral(maker, market, 10n ** 24n, maker)
  const id = marketId(market)
  for (let loop = 0; loop < LOOPS; loop += 1) {
    const names = ['Vault', `V${loop}`, `0x${random.address().slice(2).padStart(64, '0')}`] as const
    const args = [maker, 0n, usdc, ...names]
    const { logs } = await morpho.own(at.morpho.vaultFactory, 'MorphoVaultFactory', 'createMetaMorpho', args)
    const [made] = parseEventLogs({ abi: vaultsAbi, logs, eventName: 'CreateMetaMorpho' })
    if (!made) throw new Error('the factory made no vault')
    const { metaMorpho } = made.args
    note(scene, metaMorpho)
    const cap = { abi: ownArtifact('MorphoVault').abi, functionName: 'setCap', args: [id, 2n ** 120n] }
    await chain.send({ from: maker, to: metaMorpho, data: encodeFunctionData(cap) })
    if (loop > 0) await morpho.borrow(maker, market, amount)
    await morpho.deposit(maker, metaMorpho, amount, scene.wallet)
  }
}

/** One Euler vault: the same dollars are lent, borrowed and deposited again for sub-accounts. */
const eulerAccounts: Carrier = async (scene) => {
  const { chain, random } = scene.arena.stage
  // An account has one controller.
  const borrower = random.address()
  const { euler, erc20 } = chain.actions
  const { amount } = park(scene, { token: usdc, amount: LOAN })
  await erc20.mint(usdc, borrower, amount)
  const worthless = await junk(scene, borrower)
  const lent = await euler.createVault(usdc, at.euler.oracle)
  const collateral = await euler.createVault(worthless, at.euler.oracle)
  note(scene, lent, collateral, worthless)
  await euler.setPrice(worthless, 10n ** 18n)
  await euler.trust(collateral)
  await euler.accept(lent, collateral)
  await euler.call(borrower, collateral, 'deposit', 10n ** 28n, borrower)
  await euler.call(borrower, at.euler.evc, 'enableCollateral', borrower, collateral)
  await euler.call(borrower, at.euler.evc, 'enableController', borrower, lent)
  for (let loop = 0; loop < LOOPS; loop += 1) {
    if (loop > 0) await euler.call(borrower, lent, 'borrow', amount, borrower)
    await euler.call(borrower, lent, 'deposit', amount, eulerAccount(scene.wallet, loop))
  }
}

/** PTs and liquidity of several expiries over one SY, which conjures shares and reports any supply. */
const pendleExpiries: Carrier = async (scene, coin) => {
  const { chain, maker, random } = scene.arena.stage
  const { pendle, erc20 } = chain.actions
  const isReal = scene.isPlain || random.index(2) === 0
  const kept = isReal ? park(scene, { token: weth, amount: random.amount(10n ** 15n, 10n ** 18n) }) : undefined
  const yieldToken = kept?.token ?? coin.address
  const sy = await pendle.wrap(yieldToken, random.pick([coin.address, at.pendle.token]))
  note(scene, sy)
  const ofSy = { from: maker, address: sy, abi: syAbi } as const
  if (kept) await erc20.mint(weth, sy, kept.amount)
  else await coin.give(sy, some(scene, coin))
  const amount = kept?.amount ?? some(scene, coin)
  for (const days of [1, 2, 3]) {
    const market = await pendle.open(sy, yieldToken, days)
    note(scene, market.market, market.pt, market.yt)
    await chain.write({ ...ofSy, functionName: 'conjure', args: [maker, amount] })
    await pendle.mint(maker, market, amount)
    await erc20.transfer(market.pt, maker, scene.wallet, amount)
    if (random.index(2) === 0) await erc20.transfer(market.yt, maker, scene.wallet, amount)
  }
  const lies = [
    () => chain.write({ ...ofSy, functionName: 'report', args: [amount] }),
    () => chain.write({ ...ofSy, functionName: 'setClaim', args: [random.amount(1n, 10n ** 24n)] }),
    () => chain.write({ ...ofSy, functionName: 'setRate', args: [10n ** 24n] }),
  ]
  scene.turns.push(random.pick(lies), random.pick(lies))
  const [lie = random.pick(lies)] = scene.isPlain ? lies : []
  await lie()
}

/** Attacker's code at Balancer's vault; its manager reports assets held elsewhere. */
const balancerManaged: Carrier = async (scene) => {
  const { balancer, stage } = scene.arena
  const { chain, maker, random } = stage
  const pool = await chain.deploy(ownArtifact('BalancerStranger'), [balancer.vault])
  note(scene, pool)
  const own = { from: maker, address: pool, abi: strangerAbi } as const
  await chain.write({ ...own, functionName: 'list', args: [balancer.vault, usdc, maker] })
  const poolId = await chain.client.readContract({ address: pool, abi: strangerAbi, functionName: 'getPoolId' })
  const update = [{ kind: 2, poolId, token: usdc, amount: random.amount(10n ** 6n, 10n ** 15n) }] as const
  const call = { from: maker, address: balancer.vault, abi: managerAbi } as const
  await chain.write({ ...call, functionName: 'managePoolBalance', args: [update] })
  const supply = random.amount(1n, 10n ** 24n)
  await chain.write({ ...own, functionName: 'say', args: [zeroHash, supply, supply] })
  await chain.write({ ...own, functionName: 'pretend', args: [scene.wallet, supply] })
}

const withCoin = {
  ...{ direct, uniswapV2: pooled('uniswap'), solidly: pooled('solidly'), curve: pooled('curve') },
  ...{ balancerWeighted: pooled('balancerWeighted'), balancerFirst: pooled('balancerFirst') },
  ...{ balancerStable: pooled('balancerStable'), balancer3: pooled('balancer3'), gauge: stakedShare },
  ...{ rangeV3, rangeV4, rangeAlgebra, morphoCollateral, morphoLoan, eulerVault, pendleExpiries },
}
/** Bring their own contracts. */
const withoutCoin = { morphoVaults, eulerAccounts, balancerManaged }
export const carriers = { ...withCoin, ...withoutCoin }

const MOST_LEVELS = 3
const MOST_TRIES = 8

/** Draws again, up to a limit, where protocols refuse. */
export async function plantAttack(
  { arena, wallet, random, isPlain }: Pick<Scene, 'arena' | 'wallet' | 'random' | 'isPlain'>,
  name: keyof typeof carriers,
): Promise<Attack> {
  const refusals: unknown[] = []
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const own = { reported: [], contracts: new Set<string>(), parked: { usd: 0n }, turns: [] }
    const scene: Scene = { arena, wallet, random, isPlain, ...own }
    try {
      await compose(scene, name)
    } catch (error) {
      refusals.push(error)
      continue
    }
    const { reported, parked, contracts, turns } = scene
    const [first = [], later = []] = [turns.filter((_, i) => i % 2 === 0), turns.filter((_, i) => i % 2 === 1)]
    for (const turn of first) await turn()
    const turn = async () => {
      for (const each of later) await each()
    }
    return { name, reported: reported.join('; '), parked: parked.usd, contracts, turn }
  }
  throw new AggregateError(refusals, `${name} was refused ${MOST_TRIES} times`)
}

async function compose(scene: Scene, name: keyof typeof carriers): Promise<void> {
  const { random, reported, isPlain } = scene
  const needsCoin = name in withCoin
  const base = isPlain ? vault : random.pick([token, vault, vault])
  let coin = needsCoin ? await base(scene) : NO_COIN
  const levels = needsCoin && !isPlain ? random.index(MOST_LEVELS + 1) : 0
  for (let level = 0; level < levels; level += 1) {
    coin = random.index(4) === 0 ? await vault(scene, coin) : await share(scene, coin)
  }
  reported.push(`by ${name}`)
  await carriers[name](scene, coin)
}

const NO_COIN: Coin = { address: zeroAddress, have: 0n, give: async () => undefined }
