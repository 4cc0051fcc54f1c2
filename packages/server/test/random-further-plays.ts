import { addresses, morphoMarkets } from '@coffer/devnet'
import { type Address, erc20Abi, erc721Abi, parseAbi, parseEther, parseUnits } from 'viem'
import type { Random } from './random-of.ts'
import type { Play } from './random-plays.ts'
import type { WatchedChain } from './watched-chain.ts'

const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens
const { ceth, cusdc, cdai } = at.compoundV2.markets
const managerAbi = parseAbi(['function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)'])
const poolAbi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function getUserAccountData(address user) view returns (uint256, uint256, uint256 free, uint256, uint256, uint256)',
  'function liquidationCall(address collateral, address debt, address user, uint256 debtToCover, bool receiveAToken)',
])
const wethAbi = parseAbi(['function deposit() payable', 'function withdraw(uint256 wad)'])

/** With whole balances, to themselves, for and to each other, in vain. */
export function furtherPlays(chain: WatchedChain, wallets: readonly Address[], growing: ReadonlySet<string>): Play[] {
  const others = [at.lido.steth, ...Object.values(at.compoundV3.comets)].map((token) => token.toLowerCase())
  const rewarded = ([...growing] as Address[]).filter((token) => !others.includes(token))
  return [
    ...movingPlays(chain, wallets, growing),
    ...closingPlays(chain, rewarded),
    ...sharedPlays(chain, wallets),
    absorbPlay(chain, wallets),
    seizePlay(chain, wallets),
  ]
}

/** Another wallet borrows against a token whose price then falls to nearly nothing, and is absorbed. */
function absorbPlay({ actions }: WatchedChain, wallets: readonly Address[]): Play {
  const { erc20, compoundV3, feeds } = actions
  const comet = at.compoundV3.comets.usdc
  return async (wallet, random) => {
    const victim = random.pick(wallets.filter((one) => one !== wallet))
    await erc20.mint(at.tokens.uni, victim, parseEther('100'))
    await compoundV3.supply(victim, comet, at.tokens.uni, parseEther('100'))
    await compoundV3.withdraw(victim, comet, usdc, parseUnits('400', 6)).catch(() => undefined)
    const feed = random.pick([at.feeds.uniUsd, at.feeds.ethUsd])
    const answer = await feeds.answer(feed)
    await feeds.set(feed, answer / random.pick([2n, 1_000n]))
    await compoundV3.absorb(wallet, comet, victim).catch(() => undefined)
    await feeds.set(feed, answer)
  }
}

/** Another wallet borrows; part or all of its collateral is seized once its price has fallen. */
function seizePlay({ actions }: WatchedChain, wallets: readonly Address[]): Play {
  const { erc20, morpho } = actions
  const { wethUsdc } = morphoMarkets
  return async (wallet, random) => {
    const victim = random.pick(wallets.filter((one) => one !== wallet))
    await erc20.mint(weth, victim, parseEther('2'))
    await morpho.supplyCollateral(victim, wethUsdc, parseEther('2'))
    await morpho.borrow(victim, wethUsdc, parseUnits('4000', 6)).catch(() => undefined)
    const price = await morpho.price(wethUsdc.oracle)
    await morpho.setPrice(wethUsdc.oracle, price / random.pick([2n, 10n]))
    const seized = random.pick([parseEther('0.5'), parseEther('2')])
    await morpho.liquidate(wallet, wethUsdc, victim, seized).catch(() => undefined)
    await morpho.setPrice(wethUsdc.oracle, price)
  }
}

function movingPlays(
  { actions, write, client }: WatchedChain,
  wallets: readonly Address[],
  growing: ReadonlySet<string>,
): Play[] {
  const { erc20, native, lido } = actions
  const someEther = (random: Random) => random.amount(1n, parseEther('0.1'))
  const heldOf = async (wallet: Address, random: Random) => {
    const tokens = [...growing] as Address[]
    const balances = await Promise.all(tokens.map((token) => erc20.balanceOf(token, wallet)))
    return random.pick(tokens.filter((_, i) => (balances[i] ?? 0n) > 0n))
  }
  const wrapped = { address: weth, abi: wethAbi } as const
  return [
    async (wallet, random) => {
      const token = await heldOf(wallet, random)
      const balance = await erc20.balanceOf(token, wallet)
      return erc20.transfer(token, wallet, random.pick(wallets), random.pick([balance, random.amount(0n, balance)]))
    },
    (wallet, random) => native.send(wallet, wallet, someEther(random)),
    (wallet, random) => erc20.transfer(random.pick([weth, usdc, at.lido.steth]), wallet, wallet, random.amount(0n, 9n)),
    (wallet, random) => write({ from: wallet, ...wrapped, functionName: 'deposit', value: someEther(random) }),
    (wallet, random) => write({ from: wallet, ...wrapped, functionName: 'withdraw', args: [someEther(random)] }),
    (wallet, random) => lido.stake(wallet, someEther(random)),
    (_, random) => lido.rebase(-random.amount(1n, parseEther('0.5'))),
    // Exceeds every balance.
    (wallet, random) => erc20.transfer(random.pick([weth, usdc, dai]), wallet, random.pick(wallets), 10n ** 40n),
    async (wallet, random) => {
      const place = { functionName: 'tokenOfOwnerByIndex', args: [wallet, 0n] } as const
      const id = await client.readContract({ address: at.uniswapV3.manager, abi: managerAbi, ...place })
      const move = { functionName: 'transferFrom', args: [wallet, random.pick(wallets), id] } as const
      return write({ from: wallet, address: at.uniswapV3.manager, abi: erc721Abi, ...move })
    },
  ]
}

function closingPlays({ actions }: WatchedChain, rewarded: readonly Address[]): Play[] {
  const { erc20, lido, vault, compoundV2, aaveV3 } = actions
  const all = (token: Address, wallet: Address) => erc20.balanceOf(token, wallet)
  return [
    async (wallet) => vault.redeem(wallet, await all(at.local.vault, wallet)),
    async (wallet, random) => {
      const market = random.pick([ceth, cusdc])
      return compoundV2.redeem(wallet, market, await all(market, wallet))
    },
    (wallet) => compoundV2.repay(wallet, cdai, 2n ** 256n - 1n),
    async (wallet) => lido.wrap(wallet, await all(at.lido.steth, wallet)),
    async (wallet) => lido.unwrap(wallet, await all(at.lido.wsteth, wallet)),
    (wallet) => aaveV3.claim(wallet, rewarded),
  ]
}

/** `usdcOf`: USDC that may be borrowed, by the feed's answer. */
type Market = {
  pool: Address
  actions: Pick<WatchedChain['actions']['aaveV3'], 'supply' | 'borrow'>
  feed: Address
  /** Percentage of its answer to which the feed moves. */
  percent: bigint
  usdcOf(free: bigint, answer: bigint): bigint
}

function sharedPlays({ actions, write, client }: WatchedChain, wallets: readonly Address[]): Play[] {
  const { erc20, feeds } = actions
  const other = (wallet: Address, random: Random) => random.pick(wallets.filter((one) => one !== wallet))
  /** The victim borrows all it may; its collateral is worth half in the meantime. Leaves out refusals. */
  const liquidate = async (wallet: Address, random: Random, market: Market) => {
    const victim = other(wallet, random)
    const pool = { address: market.pool, abi: poolAbi } as const
    await market.actions.supply(victim, weth, parseEther('1'))
    const account = await client.readContract({ ...pool, functionName: 'getUserAccountData', args: [victim] })
    const answer = await feeds.answer(market.feed)
    await market.actions.borrow(victim, usdc, (market.usdcOf(account[2], answer) * 99n) / 100n).catch(() => undefined)
    await erc20.allow(usdc, wallet, market.pool)
    await feeds.set(market.feed, (answer * market.percent) / 100n)
    const args = [weth, usdc, victim, random.amount(1n, 10n ** 12n), random.index(2) === 0] as const
    await write({ from: wallet, ...pool, functionName: 'liquidationCall', args }).catch(() => undefined)
    await feeds.set(market.feed, answer)
  }
  const v3: Market = {
    ...{ pool: at.aaveV3.pool, actions: actions.aaveV3, feed: at.feeds.ethUsd, percent: 50n },
    usdcOf: (free) => free / 100n,
  }
  const v2: Market = {
    ...{ pool: at.aaveV2.pool, actions: actions.aaveV2, feed: at.feeds.usdcEth, percent: 200n },
    usdcOf: (free, answer) => (free * 10n ** 6n) / answer,
  }
  return [
    async (wallet, random) => {
      await erc20.allow(weth, wallet, at.aaveV3.pool)
      const args = [weth, random.amount(1n, parseEther('1')), other(wallet, random), 0] as const
      return write({ from: wallet, address: at.aaveV3.pool, abi: poolAbi, functionName: 'supply', args })
    },
    (wallet, random) => liquidate(wallet, random, v3),
    (wallet, random) => liquidate(wallet, random, v2),
    async (wallet, random) => {
      const [from, most] = [other(wallet, random), random.amount(1n, parseUnits('50', 6))]
      const token = { address: usdc, abi: erc20Abi } as const
      await write({ from, ...token, functionName: 'approve', args: [wallet, most] })
      return write({ from: wallet, ...token, functionName: 'transferFrom', args: [from, random.pick(wallets), most] })
    },
  ]
}
