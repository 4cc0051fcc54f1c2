import { type Address, parseEther, parseUnits, zeroAddress } from 'viem'
import type { EthereumActions } from './actions.ts'
import { addresses } from './addresses.ts'
import { eulerAccount, eulerVaults } from './protocols/euler.ts'
import { morphoMarkets, morphoVaults } from './protocols/morpho.ts'
import { wallets } from './wallets.ts'

const { tokens, compoundV3, stakingRewards, uniswapV4, euler: eulerAt } = addresses.ethereum
const farmer = wallets.farmer.address
const FARM_FEE = 500
const RANGE = { below: 1500, above: 1500 } as const
const V4_LIQUIDITY = 5n * 10n ** 13n

const lend = async ({ erc20, compoundV3: compound, morpho, euler }: EthereumActions): Promise<void> => {
  await erc20.mint(tokens.weth, farmer, parseEther('20'))
  await erc20.mint(tokens.usdc, farmer, parseUnits('12000', 6))
  await compound.supply(farmer, compoundV3.comets.usdc, tokens.weth, parseEther('4'))
  await compound.withdraw(farmer, compoundV3.comets.usdc, tokens.usdc, parseUnits('3000', 6))
  await morpho.supplyCollateral(farmer, morphoMarkets.wethUsdc, parseEther('3'))
  await morpho.borrow(farmer, morphoMarkets.wethUsdc, parseUnits('2500', 6))
  await morpho.deposit(farmer, morphoVaults().first, parseUnits('4000', 6))
  const { usdc, weth } = eulerVaults()
  const account = eulerAccount(farmer, 1)
  await erc20.allow(tokens.weth, farmer, weth)
  await euler.batch(farmer, [
    [farmer, weth, 'deposit', parseEther('5'), account],
    [farmer, eulerAt.evc, 'enableCollateral', account, weth],
    [farmer, eulerAt.evc, 'enableController', account, usdc],
    [account, usdc, 'borrow', parseUnits('4000', 6), farmer],
  ])
}

const farm = async (actions: EthereumActions): Promise<void> => {
  const { erc20, native, uniswapV2, uniswapV4: v4, pancakeV3, pancakeChef, stakingRewards: farms } = actions
  const side = (token: Address, figure: string, decimals: number) => ({ token, amount: parseUnits(figure, decimals) })
  await erc20.mint(tokens.weth, farmer, parseEther('5'))
  await erc20.mint(tokens.usdc, farmer, parseUnits('30000', 6))
  await native.give(farmer, parseEther('3'))
  const { coin } = uniswapV4.pools
  const value = coin.currency0 === zeroAddress ? parseEther('2') : 0n
  await v4.mint(farmer, coin, RANGE, { liquidity: V4_LIQUIDITY, value })
  const sides = [side(tokens.usdc, '6000', 6), side(tokens.weth, '2', 18)] as const
  await pancakeChef.stake(farmer, await pancakeV3.mint(farmer, ...sides, FARM_FEE, RANGE))
  await uniswapV2.add(farmer, side(tokens.usdc, '3000', 6), side(tokens.weth, '1', 18))
  const pair = addresses.ethereum.uniswapV2.pairs.usdcWeth
  await farms.stake(farmer, stakingRewards.usdcWeth, await erc20.balanceOf(pair, farmer))
}

export const leaveStakes = async ({ ethena, safetyModule, lido }: EthereumActions): Promise<void> => {
  await ethena.coolAssets(farmer, parseEther('400'))
  await safetyModule.coolDown(farmer)
  await lido.submit(farmer, parseEther('3'))
  await lido.request(farmer, [parseEther('1'), parseEther('1.5')])
}

/** Covers protocols that have no receipt token, hold it staked, or pay in two steps. */
export const openFarmerPositions = async (actions: EthereumActions): Promise<void> => {
  await lend(actions)
  await farm(actions)
  await actions.ethena.stake(farmer, parseEther('1000'))
  await actions.safetyModule.stake(farmer, parseEther('25'))
}
