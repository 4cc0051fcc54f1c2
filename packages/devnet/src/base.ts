import { type Address, parseEther, parseUnits } from 'viem'
import { type BaseActions, baseActions } from './actions.ts'
import { addresses } from './addresses.ts'
import type { DevChain } from './chain.ts'
import { deployAaveV3, type Reserve } from './protocols/aave-v3.ts'
import { deployFeeds } from './protocols/chainlink.ts'
import { deployToken, deployWrappedNative, type TokenFacts } from './protocols/erc20.ts'
import { deployVault } from './protocols/erc4626.ts'
import { deployMulticall3 } from './protocols/multicall3.ts'
import { deployUniswapV2, type Side } from './protocols/uniswap-v2.ts'
import { deployUniswapV3 } from './protocols/uniswap-v3.ts'
import { accounts, wallets } from './wallets.ts'

const at = addresses.base
const { tokens, feeds } = at
const demo = wallets.demo.address
const DAY_SECONDS = 86_400

const TOKENS: readonly TokenFacts[] = [
  { address: tokens.usdc, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
  { address: tokens.wsteth, name: 'Wrapped liquid staked Ether 2.0', symbol: 'wstETH', decimals: 18 },
  { address: tokens.orphan, name: 'Orphan', symbol: 'ORPHAN', decimals: 9 },
]
const FEEDS = [
  { address: feeds.ethUsd, decimals: 8, answer: parseUnits('3000', 8) },
  { address: feeds.usdcUsd, decimals: 8, answer: parseUnits('1', 8) },
  { address: feeds.wstethUsd, decimals: 8, answer: parseUnits('3450', 8) },
  { address: feeds.wstethEth, decimals: 18, answer: parseEther('1.15') },
]
const limits = { ltv: 7_500, liquidationThreshold: 8_000 }
const RESERVES: readonly Reserve[] = [
  { symbol: 'WETH', token: tokens.weth, decimals: 18, feed: feeds.ethUsd, id: 0, ...limits },
  { symbol: 'wstETH', token: tokens.wsteth, decimals: 18, feed: feeds.wstethUsd, id: 3, ...limits },
  { symbol: 'USDC', token: tokens.usdc, decimals: 6, feed: feeds.usdcUsd, id: 4, ...limits },
]

const deployBase = async (chain: DevChain): Promise<void> => {
  await deployMulticall3(chain, at.multicall3)
  await deployWrappedNative(chain, tokens.weth)
  for (const token of TOKENS) await deployToken(chain, token)
  await deployFeeds(chain, FEEDS)
  await deployUniswapV2(chain, at.uniswapV2, tokens.weth)
  await deployUniswapV3(chain, at.uniswapV3, tokens.weth)
  await deployVault(chain, {
    address: at.local.vault,
    asset: tokens.usdc,
    name: 'Base USD Coin Vault',
    symbol: 'bvUSDC',
  })
  await deployAaveV3(chain, at.aaveV3, { name: 'Aave Base Market', prefix: 'Base', reserves: RESERVES })
}

const weth = (figure: string): Side => ({ token: tokens.weth, amount: parseEther(figure) })
const usdc = (figure: string): Side => ({ token: tokens.usdc, amount: parseUnits(figure, 6) })
const wsteth = (figure: string): Side => ({ token: tokens.wsteth, amount: parseEther(figure) })

const fillMarkets = async ({ erc20, uniswapV2, uniswapV3, aaveV3 }: BaseActions): Promise<void> => {
  const provider = accounts.market
  const mint = async (...sides: Side[]) => {
    for (const { token, amount } of sides) await erc20.mint(token, provider, amount)
  }
  await mint(weth('30000'), usdc('60000000'), wsteth('5000'))
  await mint({ token: tokens.orphan, amount: parseUnits('1000000', 9) })
  await uniswapV2.add(provider, usdc('6000000'), weth('2000'))
  await uniswapV2.add(provider, { token: tokens.orphan, amount: parseUnits('1000000', 9) }, weth('500'))
  await uniswapV3.createPool(usdc('3000'), weth('1'), 500, provider)
  await uniswapV3.mint(provider, usdc('15000000'), weth('5000'), 500, 'full')
  await uniswapV3.createPool(wsteth('1'), weth('1.15'), 100, provider)
  await uniswapV3.mint(provider, wsteth('2000'), weth('2300'), 100, 'full')
  for (const { token, decimals } of RESERVES) {
    const amount = parseUnits('2000', decimals)
    const supplied = token === tokens.usdc ? 1000n * amount : amount
    await aaveV3.supply(provider, token, supplied)
    await aaveV3.borrow(provider, token, supplied / 5n)
  }
}

const openPositions = async ({ erc20, uniswapV2, uniswapV3, aaveV3, vault }: BaseActions): Promise<void> => {
  const sides = [weth('20'), usdc('40000'), wsteth('4')]
  for (const { token, amount } of sides) await erc20.mint(token, demo, amount)
  await aaveV3.supply(demo, tokens.wsteth, parseEther('3'))
  await aaveV3.supply(demo, tokens.usdc, parseUnits('1500', 6))
  await aaveV3.borrow(demo, tokens.weth, parseEther('1'))
  await uniswapV2.add(demo, usdc('3000'), weth('1'))
  await uniswapV3.mint(demo, usdc('9000'), weth('3'), 500, { below: 2000, above: 2000 })
  await uniswapV3.mint(demo, usdc('3000'), weth('1'), 500, { below: 9000, above: -3000 })
  await erc20.mint(tokens.usdc, accounts.market, parseUnits('10000', 6))
  await vault.deposit(accounts.market, parseUnits('10000', 6))
  await vault.deposit(demo, parseUnits('2500', 6))
}

const letTimePass = async (chain: DevChain, { erc20, uniswapV3, vault }: BaseActions): Promise<void> => {
  const give = [usdc('60000'), weth('20')] as const
  for (let week = 0; week < 4; week += 1) {
    await chain.travel(7 * DAY_SECONDS)
    for (const { token, amount } of give) await erc20.mint(token, accounts.market, amount)
    await uniswapV3.swap(accounts.market, give[0], tokens.weth, 500)
    await uniswapV3.swap(accounts.market, give[1], tokens.usdc, 500)
    await vault.earn(parseUnits('12.25', 6))
  }
}

const holdTokens = async ({ erc20, native }: BaseActions): Promise<void> => {
  const balances: readonly (readonly [Address, bigint])[] = [
    [tokens.weth, parseEther('0.75')],
    [tokens.usdc, parseUnits('321.5', 6)],
    [tokens.wsteth, parseEther('1')],
    [tokens.orphan, parseUnits('10', 9)],
  ]
  for (const [token, amount] of balances) await erc20.setBalance(token, demo, amount)
  await native.setBalance(demo, parseEther('1.25'))
  await native.setBalance(wallets.dust.address, 1n)
  await erc20.mint(tokens.usdc, wallets.dust.address, 1n)
}

export const buildBase = async (chain: DevChain): Promise<void> => {
  const actions = baseActions(chain)
  await deployBase(chain)
  await fillMarkets(actions)
  await openPositions(actions)
  await letTimePass(chain, actions)
  await holdTokens(actions)
}
