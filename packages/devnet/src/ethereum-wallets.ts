import { type Address, parseEther, parseUnits } from 'viem'
import type { EthereumActions } from './actions.ts'
import { addresses } from './addresses.ts'
import type { DevChain } from './chain.ts'
import { leaveStakes, openFarmerPositions } from './ethereum-farmer.ts'
import { accounts, wallets } from './wallets.ts'

const { tokens, compoundV2 } = addresses.ethereum
const demo = wallets.demo.address
const DAY_SECONDS = 86_400
const HUGE = 10n ** 30n

const holdTokens = async ({ erc20 }: EthereumActions, wallet: Address): Promise<void> => {
  await erc20.setBalance(tokens.weth, wallet, parseEther('2'))
  await erc20.setBalance(tokens.usdc, wallet, parseUnits('5000.25', 6))
  await erc20.setBalance(tokens.dai, wallet, parseEther('1234.567890123456789'))
  await erc20.setBalance(tokens.usdt, wallet, parseUnits('750', 6))
  await erc20.setBalance(tokens.wbtc, wallet, parseUnits('0.05', 8))
  await erc20.setBalance(tokens.link, wallet, parseEther('100'))
  await erc20.setBalance(tokens.uni, wallet, parseEther('40.5'))
  await erc20.setBalance(tokens.nova, wallet, parseEther('1000'))
  await erc20.setBalance(tokens.orphan, wallet, parseUnits('250', 9))
  await erc20.setBalance(tokens.spam, wallet, parseEther('1000000'))
}

const lendAndBorrow = async (actions: EthereumActions): Promise<void> => {
  const { erc20, native, aaveV3, aaveV2, compoundV2: compound } = actions
  await erc20.mint(tokens.weth, demo, parseEther('15'))
  await erc20.mint(tokens.wbtc, demo, parseUnits('0.2', 8))
  await erc20.mint(tokens.usdc, demo, parseUnits('4000', 6))
  await native.give(demo, parseEther('3'))
  await aaveV3.supply(demo, tokens.weth, parseEther('10'))
  await aaveV3.supply(demo, tokens.wbtc, parseUnits('0.2', 8))
  await aaveV3.borrow(demo, tokens.usdc, parseUnits('8000', 6))
  await aaveV3.borrow(demo, tokens.dai, parseEther('500'))
  await aaveV2.supply(demo, tokens.weth, parseEther('5'))
  await aaveV2.borrow(demo, tokens.usdt, parseUnits('3000', 6))
  await compound.mint(demo, compoundV2.markets.ceth, parseEther('3'))
  await compound.mint(demo, compoundV2.markets.cusdc, parseUnits('4000', 6))
  await compound.enter(demo, [compoundV2.markets.ceth, compoundV2.markets.cusdc])
  await compound.borrow(demo, compoundV2.markets.cdai, parseEther('2000'))
}

const provideLiquidity = async ({ erc20, uniswapV2, uniswapV3 }: EthereumActions): Promise<void> => {
  const usdc = (figure: string) => ({ token: tokens.usdc, amount: parseUnits(figure, 6) })
  const weth = (figure: string) => ({ token: tokens.weth, amount: parseEther(figure) })
  await erc20.mint(tokens.usdc, demo, parseUnits('30000', 6))
  await erc20.mint(tokens.weth, demo, parseEther('10'))
  await uniswapV2.add(demo, usdc('6000'), weth('2'))
  await uniswapV3.mint(demo, usdc('15000'), weth('5'), 500, { below: 1500, above: 1500 })
  await uniswapV3.mint(demo, usdc('3000'), weth('1'), 3000, { below: -6000, above: 9000 })
}

/** Both ways: both tokens of the in-range position earn fees. */
const trade = async ({ erc20, uniswapV2, uniswapV3 }: EthereumActions): Promise<void> => {
  const trader = accounts.market
  const usdc = { token: tokens.usdc, amount: parseUnits('90000', 6) }
  const weth = { token: tokens.weth, amount: parseEther('30') }
  for (const { token, amount } of [usdc, weth]) await erc20.mint(token, trader, 2n * amount)
  await uniswapV3.swap(trader, usdc, tokens.weth, 500)
  await uniswapV3.swap(trader, weth, tokens.usdc, 500)
  await uniswapV2.swap(trader, usdc, tokens.weth)
  await uniswapV2.swap(trader, weth, tokens.usdc)
}

const stakeAndSave = async ({ erc20, lido: staking, vault }: EthereumActions): Promise<void> => {
  await staking.submit(accounts.market, parseEther('10000'))
  await staking.rebase(parseEther('1500'))
  await staking.submit(demo, parseEther('3.5'))
  await staking.wrap(demo, parseEther('1.5'))
  await erc20.mint(tokens.usdc, demo, parseUnits('2000', 6))
  await erc20.mint(tokens.usdc, accounts.market, parseUnits('50000', 6))
  await vault.deposit(accounts.market, parseUnits('50000', 6))
  await vault.deposit(demo, parseUnits('2000', 6))
}

const fillOtherWallets = async ({ erc20, native, lido: staking }: EthereumActions): Promise<void> => {
  const dust = wallets.dust.address
  await native.setBalance(dust, 1n)
  for (const token of [tokens.usdc, tokens.dai, tokens.wbtc, tokens.weth]) await erc20.mint(token, dust, 1n)
  await erc20.mint(tokens.spam, dust, parseEther('5000000'))
  const whale = wallets.whale.address
  await native.setBalance(whale, HUGE)
  for (const token of [tokens.usdc, tokens.dai, tokens.wbtc, tokens.link]) await erc20.mint(token, whale, HUGE)
  await staking.submit(whale, 1n)
}

const letTimePass = async (chain: DevChain, actions: EthereumActions): Promise<void> => {
  for (let week = 0; week < 4; week += 1) {
    await chain.travel(7 * DAY_SECONDS)
    await trade(actions)
    await actions.lido.rebase(parseEther('7'))
    await actions.vault.earn(parseUnits('45.5', 6))
    await chain.client.mine({ blocks: 50 })
    await actions.compoundV2.accrue(compoundV2.markets.cdai)
  }
}

export const fillEthereumWallets = async (chain: DevChain, actions: EthereumActions): Promise<void> => {
  await lendAndBorrow(actions)
  await provideLiquidity(actions)
  await stakeAndSave(actions)
  await fillOtherWallets(actions)
  await openFarmerPositions(actions)
  await letTimePass(chain, actions)
  await leaveStakes(actions)
  await holdTokens(actions, demo)
  await actions.native.setBalance(demo, parseEther('12.5'))
}
