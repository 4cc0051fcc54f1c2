import { type Devnet, morphoMarkets, morphoVaults } from '@coffer/devnet'
import { type Address, maxUint256, parseEther, parseUnits } from 'viem'
import type { Random } from '../random-of.ts'

const HUGE = 10n ** 30n

type Chains = Devnet['chains']

export async function fillOnEthereum({ ethereum }: Chains, wallet: Address, random: Random): Promise<void> {
  const { actions, addresses } = ethereum
  const { usdc, dai } = addresses.tokens
  const amount = random.amount(parseUnits('10', 6), parseUnits('9000', 6))
  await actions.native.give(wallet, random.amount(1n, 10n ** 18n))
  await actions.erc20.mint(dai, wallet, random.amount(1n, 10n ** 20n))
  await actions.erc20.mint(usdc, wallet, 4n * amount)
  await actions.aaveV3.supply(wallet, usdc, amount)
  await actions.compoundV2.mint(wallet, addresses.compoundV2.markets.cusdc, amount)
  await actions.vault.deposit(wallet, amount)
}

/** Random steps in every protocol; the wallet may have positions. */
export async function moveOnEthereum({ ethereum }: Chains, wallet: Address, random: Random): Promise<void> {
  const { actions, addresses } = ethereum
  const { tokens, compoundV2: compound } = addresses
  const { erc20, native } = actions
  const usdc = () => random.amount(parseUnits('1', 6), parseUnits('50000', 6))
  const weth = () => random.amount(10n ** 12n, parseEther('20'))
  await native.give(wallet, random.amount(1n, parseEther('100')))
  for (const token of [tokens.dai, tokens.link, tokens.wbtc])
    await erc20.mint(token, wallet, random.amount(1n, 10n ** 12n))

  await erc20.mint(tokens.weth, wallet, parseEther('21'))
  await actions.aaveV3.supply(wallet, tokens.weth, random.amount(parseEther('1'), parseEther('20')))
  await actions.aaveV3.borrow(wallet, random.pick([tokens.usdc, tokens.dai]), random.amount(1n, parseUnits('300', 6)))
  await erc20.mint(tokens.weth, wallet, parseEther('21'))
  await actions.aaveV2.supply(wallet, tokens.weth, random.amount(parseEther('1'), parseEther('20')))
  await actions.aaveV2.borrow(wallet, random.pick([tokens.usdc, tokens.usdt]), random.amount(1n, parseUnits('300', 6)))

  await native.give(wallet, parseEther('30'))
  await actions.compoundV2.mint(wallet, compound.markets.ceth, random.amount(parseEther('1'), parseEther('20')))
  await actions.compoundV2.enter(wallet, [compound.markets.ceth])
  await actions.compoundV2.borrow(wallet, compound.markets.cdai, random.amount(1n, parseEther('300')))

  await addToPools(ethereum, wallet, random, usdc(), weth())
  await stakeShares(ethereum, wallet, random)
  await addToV4(ethereum, wallet, random)
  await lendAtMorpho(ethereum, wallet, random)
  const saved = usdc()
  await erc20.mint(tokens.usdc, wallet, saved)
  await actions.vault.deposit(wallet, saved)
  await actions.vault.earn(random.amount(1n, parseUnits('500', 6)))

  const staked = random.amount(10n ** 6n, parseEther('30'))
  await actions.lido.submit(wallet, staked)
  await actions.lido.wrap(wallet, random.amount(10n ** 3n, staked / 2n))
  await actions.lido.rebase(random.amount(1n, parseEther('3')))
}

/** Shares in a farm and a position NFT with a chef, both with rewards. */
async function stakeShares({ actions, addresses, travel }: Chains['ethereum'], wallet: Address, random: Random) {
  const { erc20, stakingRewards, pancakeV3, pancakeChef } = actions
  const { tokens, uniswapV2, stakingRewards: farms } = addresses
  const share = await erc20.balanceOf(uniswapV2.pairs.usdcWeth, wallet)
  await stakingRewards.stake(wallet, farms.usdcWeth, random.amount(share / 2n, share - 1n))
  await stakingRewards.reward(farms.usdcWeth, random.amount(parseEther('1'), parseEther('1000')))
  const sides = [
    { token: tokens.usdc, amount: parseUnits('3000', 6) },
    { token: tokens.weth, amount: parseEther('1') },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
  const minted = await pancakeV3.mint(wallet, ...sides, 500, { below: 600, above: 600 })
  await pancakeChef.stake(wallet, minted)
  await pancakeChef.fund(random.amount(parseEther('1'), parseEther('1000')))
  await travel(random.index(3_600))
  await pancakeChef.settle()
}

/** Against the native and the wrapped coin, from the wallet and another; then trades. */
async function addToV4({ actions, addresses }: Chains['ethereum'], wallet: Address, random: Random): Promise<void> {
  const { erc20, native, uniswapV4 } = actions
  const { tokens, uniswapV4: v4 } = addresses
  const giver = random.address()
  const value = parseEther('100')
  for (const one of [wallet, giver]) {
    await erc20.mint(tokens.usdc, one, parseUnits('300000', 6))
    await erc20.mint(tokens.weth, one, parseEther('100'))
    await native.give(one, value)
  }
  const width = 60 * (1 + random.index(50))
  const range = random.pick([
    { below: width, above: width },
    { below: -width, above: 3 * width },
  ])
  const some = () => random.amount(10n ** 9n, 10n ** 14n)
  const first = await uniswapV4.mint(wallet, v4.pools.coin, range, { liquidity: some(), value })
  const given = await uniswapV4.mint(giver, v4.pools.wrapped, range, { liquidity: some() })
  await uniswapV4.send(giver, wallet, given)
  for (const key of [v4.pools.coin, v4.pools.wrapped]) {
    const amount = random.amount(parseUnits('1', 6), parseUnits('100000', 6))
    await uniswapV4.swap(giver, { token: tokens.usdc, amount }, key)
  }
  if (random.index(2) === 0) await uniswapV4.decrease(wallet, first, (await uniswapV4.liquidityOf(first)) / 3n)
}

/** Both sides of markets, and vaults of both versions. */
async function lendAtMorpho(
  { actions, addresses }: Chains['ethereum'],
  wallet: Address,
  random: Random,
): Promise<void> {
  const { erc20, morpho } = actions
  const { tokens } = addresses
  const { wethUsdc, wbtcWeth } = morphoMarkets
  const usdc = () => random.amount(10n, parseUnits('20000', 6))
  await erc20.mint(tokens.usdc, wallet, parseUnits('60000', 6))
  await erc20.mint(tokens.weth, wallet, parseEther('30'))
  await morpho.supply(wallet, wethUsdc, usdc())
  await morpho.supply(wallet, wbtcWeth, random.amount(1n, parseEther('10')))
  await morpho.supplyCollateral(wallet, wethUsdc, random.amount(parseEther('1'), parseEther('20')))
  await morpho.borrow(wallet, wethUsdc, random.amount(1n, parseUnits('2000', 6)))
  for (const vault of Object.values(morphoVaults())) await morpho.deposit(wallet, vault, usdc())
}

export async function moveOnBase({ base }: Chains, wallet: Address, random: Random): Promise<void> {
  const { actions, addresses } = base
  const { tokens } = addresses
  await actions.erc20.mint(tokens.wsteth, wallet, parseEther('6'))
  await actions.aaveV3.supply(wallet, tokens.wsteth, random.amount(parseEther('1'), parseEther('5')))
  await actions.aaveV3.borrow(wallet, tokens.weth, random.amount(1n, parseEther('0.2')))
  const usdc = random.amount(parseUnits('1', 6), parseUnits('5000', 6))
  await addToPools(base, wallet, random, usdc, random.amount(10n ** 12n, parseEther('2')))
  await actions.erc20.mint(tokens.usdc, wallet, usdc)
  await actions.vault.deposit(wallet, usdc)
}

/** In a v2 pair and v3 ranges around, below or above the price; then trades to accrue fees. */
async function addToPools(
  { actions, addresses }: Chains['ethereum'] | Chains['base'],
  wallet: Address,
  random: Random,
  usdcRaw: bigint,
  wethRaw: bigint,
): Promise<void> {
  const { usdc, weth } = addresses.tokens
  const { erc20 } = actions
  const sides = [
    { token: usdc, amount: usdcRaw },
    { token: weth, amount: wethRaw },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, 3n * amount)
  await actions.uniswapV2.add(wallet, ...sides)
  const width = 60 * (1 + random.index(50))
  const range = random.pick([
    { below: width, above: width },
    { below: -width, above: 3 * width },
    { below: 3 * width, above: -width },
  ])
  const minted = await actions.uniswapV3.mint(wallet, ...sides, 500, range)
  const trader = random.address()
  for (const { token, amount, other } of [
    { token: usdc, amount: parseUnits('20000', 6), other: weth },
    { token: weth, amount: parseEther('6'), other: usdc },
  ]) {
    await erc20.mint(token, trader, 2n * amount)
    await actions.uniswapV2.swap(trader, { token, amount: random.amount(amount / 1_000n, amount) }, other)
    await actions.uniswapV3.swap(trader, { token, amount: random.amount(amount / 1_000n, amount) }, other, 500)
  }
  const [, , , , , , , liquidity] = await actions.uniswapV3.position(minted)
  if (random.index(2) === 0 && liquidity > 1n) {
    await actions.uniswapV3.decrease(wallet, minted, random.amount(1n, liquidity))
  }
}

export async function giveSingleUnits({ ethereum }: Chains, from: Address, wallet: Address): Promise<void> {
  const { actions, addresses } = ethereum
  const { tokens, compoundV2, uniswapV2, local, lido } = addresses
  await actions.native.setBalance(wallet, 1n)
  const plain = [tokens.usdc, tokens.dai, tokens.weth, tokens.wbtc]
  const receipts = [compoundV2.markets.cusdc, uniswapV2.pairs.usdcWeth, local.vault, lido.steth, lido.wsteth]
  for (const token of [...plain, ...receipts]) await actions.erc20.transfer(token, from, wallet, 1n)
  await actions.erc20.mint(tokens.usdc, wallet, 1n)
  await actions.aaveV3.supply(wallet, tokens.usdc, 1n)
  await actions.erc20.mint(tokens.usdc, wallet, 1n)
  await actions.aaveV2.supply(wallet, tokens.usdc, 1n)
}

/** 10^30 units, where a protocol takes as much. */
export async function giveHugeAmounts({ ethereum }: Chains, wallet: Address): Promise<void> {
  const { actions, addresses } = ethereum
  const { tokens, compoundV2 } = addresses
  const { erc20 } = actions
  await actions.native.setBalance(wallet, HUGE)
  for (const token of [tokens.usdc, tokens.dai, tokens.link, tokens.wbtc]) await erc20.mint(token, wallet, HUGE)
  await erc20.mint(tokens.dai, wallet, 3n * HUGE)
  await actions.aaveV3.supply(wallet, tokens.dai, HUGE)
  await actions.aaveV2.supply(wallet, tokens.dai, HUGE)
  await actions.compoundV2.mint(wallet, compoundV2.markets.cdai, HUGE)
  await erc20.mint(tokens.usdc, wallet, HUGE)
  await actions.vault.deposit(wallet, HUGE)
  await actions.lido.submit(wallet, HUGE)
  await actions.lido.wrap(wallet, HUGE / 3n)
  // A quarter in the v2 pair, the rest in the widest v3 range: within what pools can count.
  const sides = [
    { token: tokens.usdc, amount: HUGE / 10n ** 8n },
    { token: tokens.weth, amount: HUGE },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, 2n * amount)
  await actions.uniswapV2.add(wallet, ...sides)
  await actions.uniswapV3.mint(wallet, ...sides, 500, 'full')
}

/** Withdraws one market wholly: it must disappear from the answer. */
export async function leaveSomething({ ethereum }: Chains, wallet: Address): Promise<void> {
  const { actions, addresses } = ethereum
  await actions.aaveV3.withdraw(wallet, addresses.tokens.wbtc, maxUint256)
  await actions.uniswapV2.remove(wallet, addresses.tokens.usdc, addresses.tokens.weth)
}
