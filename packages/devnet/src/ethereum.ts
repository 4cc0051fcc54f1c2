import { type Address, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { type EthereumActions, ethereumActions } from './actions.ts'
import { addresses } from './addresses.ts'
import type { DevChain } from './chain.ts'
import { fillEthereumWallets } from './ethereum-wallets.ts'
import { deployAaveV2 } from './protocols/aave-v2.ts'
import { deployAaveV3, type Reserve, startRewards } from './protocols/aave-v3.ts'
import { deployFeeds } from './protocols/chainlink.ts'
import { type CompoundMarket, deployCompoundV2 } from './protocols/compound-v2.ts'
import { type CometFacts, deployCompoundV3, rewardComet } from './protocols/compound-v3.ts'
import { deployToken, deployWrappedNative, type TokenFacts } from './protocols/erc20.ts'
import { deployVault } from './protocols/erc4626.ts'
import { deployEthena } from './protocols/ethena.ts'
import { deployEuler, eulerAccount, eulerVaults } from './protocols/euler.ts'
import { deployLido } from './protocols/lido.ts'
import { deployMorpho, morphoMarkets } from './protocols/morpho.ts'
import { deployMulticall3 } from './protocols/multicall3.ts'
import { deployPancakeChef } from './protocols/pancake-chef.ts'
import { deploySafetyModule } from './protocols/safety-module.ts'
import { deployStakingRewards } from './protocols/staking-rewards.ts'
import { deployUniswapV2, type Side } from './protocols/uniswap-v2.ts'
import { deployUniswapV3 } from './protocols/uniswap-v3.ts'
import { deployUniswapV4 } from './protocols/uniswap-v4.ts'
import { accounts } from './wallets.ts'

const at = addresses.ethereum
const { tokens, feeds } = at
const YEAR_SECONDS = 31_536_000

const TOKENS: readonly TokenFacts[] = [
  { address: tokens.usdc, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
  { address: tokens.dai, name: 'Dai Stablecoin', symbol: 'DAI', decimals: 18 },
  { address: tokens.usdt, name: 'Tether USD', symbol: 'USDT', decimals: 6 },
  { address: tokens.wbtc, name: 'Wrapped BTC', symbol: 'WBTC', decimals: 8 },
  { address: tokens.link, name: 'ChainLink Token', symbol: 'LINK', decimals: 18 },
  { address: tokens.uni, name: 'Uniswap', symbol: 'UNI', decimals: 18 },
  { address: tokens.nova, name: 'Nova', symbol: 'NOVA', decimals: 18 },
  { address: tokens.orphan, name: 'Orphan', symbol: 'ORPHAN', decimals: 9 },
  { address: at.pancakeV3.cake, name: 'PancakeSwap Token', symbol: 'Cake', decimals: 18 },
  { address: at.safetyModule.aave, name: 'Aave Token', symbol: 'AAVE', decimals: 18 },
  { address: at.ethena.usde, name: 'USDe', symbol: 'USDe', decimals: 18 },
  { address: at.compoundV2.rewardToken, name: 'Venus', symbol: 'XVS', decimals: 18 },
  { address: at.compoundV3.rewardToken, name: 'Compound', symbol: 'COMP', decimals: 18 },
  { address: tokens.spam, name: 'Claim at free-nova.example', symbol: 'FREENOVA', decimals: 18 },
]

const usd = (figure: string): bigint => parseUnits(figure, 8)
const FEEDS = [
  { address: feeds.ethUsd, decimals: 8, answer: usd('3000') },
  { address: feeds.btcUsd, decimals: 8, answer: usd('60000') },
  { address: feeds.usdcUsd, decimals: 8, answer: usd('1') },
  { address: feeds.daiUsd, decimals: 8, answer: usd('0.9998') },
  { address: feeds.usdtUsd, decimals: 8, answer: usd('1.0001') },
  { address: feeds.linkUsd, decimals: 8, answer: usd('15') },
  { address: feeds.uniUsd, decimals: 8, answer: usd('8') },
  { address: feeds.aaveUsd, decimals: 8, answer: usd('160') },
  { address: feeds.compUsd, decimals: 8, answer: usd('45') },
  { address: feeds.usdeUsd, decimals: 8, answer: usd('0.9995') },
  { address: feeds.stethUsd, decimals: 8, answer: usd('2997') },
  { address: feeds.usdcEth, decimals: 18, answer: parseEther('1') / 3000n },
  { address: feeds.daiEth, decimals: 18, answer: parseEther('0.9998') / 3000n },
  { address: feeds.usdtEth, decimals: 18, answer: parseEther('1.0001') / 3000n },
  { address: feeds.wbtcEth, decimals: 18, answer: parseEther('20') },
  { address: feeds.wbtcBtc, decimals: 8, answer: parseUnits('0.999', 8) },
  { address: feeds.linkEth, decimals: 18, answer: parseEther('0.005') },
  { address: feeds.stethEth, decimals: 18, answer: parseEther('0.999') },
]

const volatile = { ltv: 7_500, liquidationThreshold: 8_000 }
const stable = { ltv: 7_700, liquidationThreshold: 8_000 }
const AAVE_V3_RESERVES: readonly Reserve[] = [
  { symbol: 'WETH', token: tokens.weth, decimals: 18, feed: feeds.ethUsd, id: 0, ...volatile },
  { symbol: 'WBTC', token: tokens.wbtc, decimals: 8, feed: feeds.btcUsd, id: 2, ...volatile },
  { symbol: 'USDC', token: tokens.usdc, decimals: 6, feed: feeds.usdcUsd, id: 3, ...stable },
  { symbol: 'DAI', token: tokens.dai, decimals: 18, feed: feeds.daiUsd, id: 4, ...stable },
  { symbol: 'LINK', token: tokens.link, decimals: 18, feed: feeds.linkUsd, id: 5, ...volatile },
  { symbol: 'USDT', token: tokens.usdt, decimals: 6, feed: feeds.usdtUsd, id: 8, ...stable },
]
const AAVE_V2_RESERVES: readonly Reserve[] = [
  { symbol: 'USDT', token: tokens.usdt, decimals: 6, feed: feeds.usdtEth, id: 0, ...stable },
  { symbol: 'WBTC', token: tokens.wbtc, decimals: 8, feed: feeds.wbtcEth, id: 1, ...volatile },
  { symbol: 'WETH', token: tokens.weth, decimals: 18, feed: feeds.ethUsd, id: 2, ...volatile },
  { symbol: 'DAI', token: tokens.dai, decimals: 18, feed: feeds.daiEth, id: 9, ...stable },
  { symbol: 'USDC', token: tokens.usdc, decimals: 6, feed: feeds.usdcEth, id: 19, ...stable },
]

const { markets } = at.compoundV2
const market = (symbol: string, address: Address, underlying: Address | null, decimals: number, feed: Address) => ({
  ...{ address, symbol, name: `Compound ${symbol.slice(1)}`, feed, underlying, underlyingDecimals: decimals },
  collateralFactor: parseEther('0.75'),
})
const COMPOUND_MARKETS: readonly CompoundMarket[] = [
  market('cETH', markets.ceth, null, 18, feeds.ethUsd),
  market('cUSDC', markets.cusdc, tokens.usdc, 6, feeds.usdcUsd),
  market('cDAI', markets.cdai, tokens.dai, 18, feeds.daiUsd),
  market('cWBTC', markets.cwbtc, tokens.wbtc, 8, feeds.btcUsd),
]

const { comets } = at.compoundV3
const COMETS: readonly CometFacts[] = [
  {
    ...{ address: comets.usdc, symbol: 'cUSDCv3', base: tokens.usdc, baseFeed: feeds.usdcUsd },
    ...{ borrowMin: parseUnits('100', 6), minForRewards: parseUnits('1000', 6) },
    collaterals: [
      { asset: tokens.weth, feed: feeds.ethUsd },
      { asset: tokens.wbtc, feed: feeds.btcUsd },
      { asset: tokens.link, feed: feeds.linkUsd },
      { asset: tokens.uni, feed: feeds.uniUsd },
    ],
  },
  {
    ...{ address: comets.weth, symbol: 'cWETHv3', base: tokens.weth, baseFeed: feeds.ethUsd },
    ...{ borrowMin: parseEther('0.1'), minForRewards: parseEther('10') },
    collaterals: [
      { asset: tokens.usdc, feed: feeds.usdcUsd },
      { asset: tokens.wbtc, feed: feeds.btcUsd },
    ],
  },
]

const deployEthereum = async (chain: DevChain): Promise<void> => {
  await deployMulticall3(chain, at.multicall3)
  await deployWrappedNative(chain, tokens.weth)
  for (const token of TOKENS) await deployToken(chain, token)
  await deployFeeds(chain, FEEDS)
  await deployUniswapV2(chain, at.uniswapV2, tokens.weth)
  await deployUniswapV3(chain, at.uniswapV3, tokens.weth)
  await deployUniswapV3(chain, at.pancakeV3, tokens.weth)
  await deployUniswapV4(chain, { ...at.uniswapV4, ...at.local }, tokens.weth)
  await deployLido(chain, at.lido)
  await deployEthena(chain, at.ethena)
  await deploySafetyModule(chain, at.safetyModule)
  await deployVault(chain, {
    address: at.local.vault,
    asset: tokens.usdc,
    name: 'Nova USD Coin Vault',
    symbol: 'nvUSDC',
  })
  await deployAaveV3(chain, at.aaveV3, { name: 'Aave Ethereum Market', prefix: 'Ethereum', reserves: AAVE_V3_RESERVES })
  await deployAaveV2(chain, at.aaveV2, { name: 'Aave genesis market', weth: tokens.weth, reserves: AAVE_V2_RESERVES })
  await deployCompoundV2(chain, at.compoundV2, COMPOUND_MARKETS)
  await deployCompoundV3(chain, { ...at.compoundV3, weth: tokens.weth }, COMETS)
  await rewardComet(chain, at.compoundV3, comets.usdc)
  await deployMorpho(chain, at.morpho, { weth: tokens.weth, markets: Object.values(morphoMarkets) })
  await deployEuler(chain, at.euler)
}

const weth = (figure: string): Side => ({ token: tokens.weth, amount: parseEther(figure) })
const side = (token: Address, figure: string, decimals: number): Side => ({
  token,
  amount: parseUnits(figure, decimals),
})

/** At the feeds' prices and worth millions. The last has a few dollars for the whole spam supply. */
const PAIRS: readonly (readonly [Side, Side])[] = [
  [side(tokens.usdc, '9000000', 6), weth('3000')],
  [side(tokens.usdt, '6000000', 6), weth('2000')],
  [side(tokens.dai, '6000000', 18), weth('2000')],
  [side(tokens.wbtc, '100', 8), weth('2000')],
  [side(tokens.orphan, '1000000', 9), weth('500')],
  [side(tokens.spam, '10', 18), weth('0.001')],
]
const FARMS = ['usdcWeth', 'wethUsdt', 'daiWeth', 'wbtcWeth'] as const
const POOLS: readonly (readonly [Side, Side, number])[] = [
  [side(tokens.usdc, '30000000', 6), weth('10000'), 500],
  [side(tokens.usdc, '6000000', 6), weth('2000'), 3000],
  [side(tokens.wbtc, '200', 8), weth('4000'), 3000],
  [side(tokens.dai, '5000000', 18), side(tokens.usdc, '5000000', 6), 100],
  [side(tokens.link, '400000', 18), weth('2000'), 3000],
  [side(tokens.uni, '375000', 18), weth('1000'), 3000],
  [side(tokens.nova, '1000000', 18), weth('1000'), 10000],
]

/** With a stake of the provider and UNI for 60 days. */
const openFarms = async (chain: DevChain, { erc20, stakingRewards }: EthereumActions): Promise<void> => {
  for (const name of FARMS) {
    const [farm, staked] = [at.stakingRewards[name], at.uniswapV2.pairs[name]]
    await deployStakingRewards(chain, farm, { staked, rewarded: tokens.uni })
    await stakingRewards.stake(accounts.market, farm, (await erc20.balanceOf(staked, accounts.market)) / 10n)
    await stakingRewards.reward(farm, parseEther('6000'))
  }
}

const openStakedPool = async (chain: DevChain, { erc20, pancakeV3, pancakeChef }: EthereumActions): Promise<void> => {
  const provider = accounts.market
  const [one, other] = [side(tokens.usdc, '1500000', 6), weth('500')]
  const pool = { token0: one.token, token1: other.token, fee: 500 }
  const contracts = { ...at.pancakeV3, mining: at.local.liquidityMining }
  for (const { token, amount } of [one, other]) await erc20.mint(token, provider, amount)
  await pancakeV3.createPool(one, other, pool.fee, provider)
  await deployPancakeChef(chain, contracts, { pool, weth: tokens.weth, erc20 })
  await pancakeChef.stake(provider, await pancakeV3.mint(provider, one, other, pool.fee, 'full'))
  await pancakeChef.fund(parseEther('30000'))
}

const fillPools = async ({ erc20, uniswapV2, uniswapV3 }: EthereumActions): Promise<void> => {
  const provider = accounts.market
  for (const [one, other] of PAIRS) {
    for (const { token, amount } of [one, other]) await erc20.mint(token, provider, amount)
    await uniswapV2.add(provider, one, other)
  }
  for (const [one, other, fee] of POOLS) {
    for (const { token, amount } of [one, other]) await erc20.mint(token, provider, amount)
    await uniswapV3.createPool(one, other, fee, provider)
    await uniswapV3.mint(provider, one, other, fee, 'full')
  }
}

const coins = side(zeroAddress, '1', 18)

/** Some thirty million US dollars on both sides of each pool, over the full range. */
const fillV4 = async ({ erc20, native, uniswapV4 }: EthereumActions): Promise<void> => {
  const { coin, wrapped } = at.uniswapV4.pools
  const provider = accounts.market
  const liquidity = 547n * 10n ** 15n
  const value = parseEther('10500')
  await erc20.mint(tokens.usdc, provider, parseUnits('70000000', 6))
  await erc20.mint(tokens.weth, provider, parseEther('10500'))
  await native.give(provider, value)
  await uniswapV4.createPool(side(tokens.usdc, '3000', 6), coins, coin, provider)
  await uniswapV4.mint(provider, coin, 'full', { liquidity, value })
  await uniswapV4.createPool(side(tokens.usdc, '3000', 6), weth('1'), wrapped, provider)
  await uniswapV4.mint(provider, wrapped, 'full', { liquidity })
}

const fillAave = async ({ erc20, aaveV3, aaveV2 }: EthereumActions): Promise<void> => {
  const fill = async (market: Pick<typeof aaveV3, 'supply' | 'borrow'>, reserves: readonly Reserve[]) => {
    for (const { token, decimals } of reserves) {
      const amount = parseUnits('50000', decimals)
      await erc20.mint(token, accounts.market, amount)
      await market.supply(accounts.market, token, amount)
      await market.borrow(accounts.market, token, amount / 5n)
    }
  }
  await fill(aaveV3, AAVE_V3_RESERVES)
  await fill(aaveV2, AAVE_V2_RESERVES)
}

const fillCompound = async ({ erc20, compoundV2, native }: EthereumActions): Promise<void> => {
  const lender = accounts.market
  await compoundV2.enter(
    lender,
    COMPOUND_MARKETS.map(({ address }) => address),
  )
  for (const { address, underlying, underlyingDecimals } of COMPOUND_MARKETS) {
    const amount = parseUnits('20000', underlyingDecimals)
    if (underlying) await erc20.mint(underlying, lender, amount)
    else await native.give(lender, amount)
    await compoundV2.mint(lender, address, amount)
    await compoundV2.borrow(lender, address, amount / 5n)
  }
}

const fillComets = async ({ erc20, compoundV3 }: EthereumActions): Promise<void> => {
  const { market: lender, borrower } = accounts
  const sides = [
    { comet: comets.usdc, base: side(tokens.usdc, '2000000', 6), backing: weth('600') },
    { comet: comets.weth, base: weth('1000'), backing: side(tokens.wbtc, '50', 8) },
  ]
  for (const { comet, base, backing } of sides) {
    await erc20.mint(base.token, lender, base.amount)
    await compoundV3.supply(lender, comet, base.token, base.amount)
    await erc20.mint(backing.token, borrower, backing.amount)
    await compoundV3.supply(borrower, comet, backing.token, backing.amount)
    await compoundV3.withdraw(borrower, comet, base.token, (base.amount * 45n) / 100n)
  }
  await erc20.mint(at.compoundV3.rewardToken, at.compoundV3.rewards, parseEther('1000000'))
}

/** Both markets lend about half. The vaults lend to the first. */
const fillMorpho = async ({ erc20, morpho }: EthereumActions): Promise<void> => {
  const { market: lender, borrower } = accounts
  const { wethUsdc, wbtcWeth } = morphoMarkets
  const sides = [
    { market: wethUsdc, loan: side(tokens.usdc, '2000000', 6), backing: weth('600') },
    { market: wbtcWeth, loan: weth('1000'), backing: side(tokens.wbtc, '50', 8) },
  ]
  for (const { market, loan, backing } of sides) {
    await erc20.mint(loan.token, lender, loan.amount)
    await morpho.supply(lender, market, loan.amount)
    await erc20.mint(backing.token, borrower, backing.amount)
    await morpho.supplyCollateral(borrower, market, backing.amount)
    await morpho.borrow(borrower, market, (loan.amount * 45n) / 100n)
  }
  const { first, second } = await morpho.openVaults(tokens.usdc)
  for (const vault of [first, second]) {
    await erc20.mint(tokens.usdc, lender, parseUnits('100000', 6))
    await morpho.deposit(lender, vault, parseUnits('100000', 6))
  }
}

/** Lends about half, to sub-accounts of one borrower. */
const fillEuler = async ({ erc20, euler }: EthereumActions): Promise<void> => {
  const { market: lender, borrower } = accounts
  const { usdc, weth: coin } = eulerVaults()
  const sides = [
    { vault: usdc, loan: side(tokens.usdc, '2000000', 6), backing: weth('600'), backed: coin, account: 1 },
    { vault: coin, loan: weth('1000'), backing: side(tokens.usdc, '2500000', 6), backed: usdc, account: 2 },
  ]
  for (const { vault, loan, backing, backed, account } of sides) {
    const debtor = eulerAccount(borrower, account)
    await erc20.mint(loan.token, lender, loan.amount)
    await euler.call(lender, vault, 'deposit', loan.amount, lender)
    await erc20.mint(backing.token, borrower, backing.amount)
    await euler.batch(borrower, [
      [borrower, backed, 'deposit', backing.amount, debtor],
      [borrower, at.euler.evc, 'enableCollateral', debtor, backed],
      [borrower, at.euler.evc, 'enableController', debtor, vault],
      [debtor, vault, 'borrow', (loan.amount * 45n) / 100n, borrower],
    ])
  }
}

const dataProviderAbi = parseAbi([
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
])

/** One UNI a minute. */
const rewardSuppliers = async (chain: DevChain, { erc20 }: EthereumActions): Promise<void> => {
  const views = { address: at.aaveV3.dataProvider, abi: dataProviderAbi } as const
  const call = { ...views, functionName: 'getReserveTokensAddresses', args: [tokens.weth] } as const
  const [asset] = await chain.client.readContract(call)
  await erc20.mint(tokens.uni, accounts.market, parseEther('10000000'))
  const { timestamp } = await chain.client.getBlock()
  const stream = { asset, reward: tokens.uni, feed: feeds.uniUsd, perSecond: parseEther('1') / 60n }
  await startRewards(chain, at.aaveV3, { ...stream, end: Number(timestamp) + YEAR_SECONDS })
}

export const buildEthereum = async (chain: DevChain): Promise<void> => {
  const actions = ethereumActions(chain)
  await deployEthereum(chain)
  await fillPools(actions)
  await fillV4(actions)
  await openFarms(chain, actions)
  await openStakedPool(chain, actions)
  await fillAave(actions)
  await fillCompound(actions)
  await fillComets(actions)
  await fillMorpho(actions)
  await actions.ethena.stake(accounts.market, parseEther('1000000'))
  await actions.safetyModule.stake(accounts.market, parseEther('20000'))
  await actions.safetyModule.reward(parseEther('0.001'), parseEther('100000'))
  await fillEuler(actions)
  await rewardSuppliers(chain, actions)
  await fillEthereumWallets(chain, actions)
}
