import { type Address, erc20Abi, erc4626Abi, maxUint256, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addresses, type Devnet, startDevnet, wallets } from '../src/index.ts'

const at = addresses.ethereum
const { weth, usdc, dai, link } = at.tokens
/** No wallet of the devnet's own: whatever sends needs no key. */
const wallet: Address = '0x00000000000000000000000000000000c0ffee01'
const HUGE = 10n ** 30n

const abi = parseAbi([
  'function getReserveTokensAddresses(address) view returns (address, address, address)',
  'function getUserReserveData(address, address) view returns (uint256 supplied, uint256 stableDebt, uint256 debt)',
  'function getAccountSnapshot(address) view returns (uint256, uint256 tokens, uint256 debt, uint256 rate)',
  'function positions(uint256) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)',
  'function claimVenus(address holder)',
  'function venusAccrued(address holder) view returns (uint256)',
  'function sharesOf(address) view returns (uint256)',
])

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
})
afterAll(() => devnet.stop())

const chain = () => devnet.chains.ethereum
const balance = (token: Address, owner: Address = wallet) => chain().actions.erc20.balanceOf(token, owner)

describe('tokens', () => {
  test.each([1n, HUGE])('a balance of %i is possible for tokens, the wrapped and the native coin', async (amount) => {
    const { erc20, native } = chain().actions
    for (const token of [usdc, dai, weth, at.tokens.wbtc]) {
      await erc20.setBalance(token, wallet, amount)
      expect(await balance(token)).toBe(amount)
    }
    await native.setBalance(wallet, amount)
    await erc20.transfer(dai, wallet, wallets.demo.address, 1n)
    expect(await chain().client.getBalance({ address: wallet })).toBe(amount)
  })

  test('transfers of the unlisted token are in the logs', async () => {
    const transfers = await chain().client.getLogs({
      address: at.tokens.orphan,
      event: erc20Abi.find((item) => item.type === 'event' && item.name === 'Transfer') as never,
      args: { to: wallets.demo.address } as never,
      fromBlock: 0n,
    })
    expect(transfers.length).toBeGreaterThan(0)
  })

  test('transactions of one sender at the same time are all mined', async () => {
    const { send } = chain()
    const sent = await Promise.all(Array.from({ length: 60 }, () => send({ from: wallet, to: wallets.demo.address })))
    expect(new Set(sent.map(({ blockNumber }) => blockNumber)).size).toBe(60)
  })

  test('a refused transaction throws with the reason', async () => {
    const nobody: Address = '0x00000000000000000000000000000000c0ffee09'
    await expect(chain().actions.aaveV3.borrow(nobody, usdc, 1n)).rejects.toThrow('34')
  })
})

describe('lending', () => {
  const reserve = (token: Address, provider: Address = at.aaveV3.dataProvider) =>
    chain().client.readContract({
      address: provider,
      abi,
      functionName: 'getUserReserveData',
      args: [token, wallet],
    })

  test.each([
    ['aaveV3', at.aaveV3.dataProvider],
    ['aaveV2', at.aaveV2.dataProvider],
  ] as const)('%s: supply, borrow, repay and withdraw to nothing', async (name, provider) => {
    const { erc20 } = chain().actions
    const market = chain().actions[name]
    await erc20.setBalance(weth, wallet, parseEther('10'))
    await erc20.setBalance(usdc, wallet, 0n)
    await market.supply(wallet, weth, parseEther('10'))
    await market.borrow(wallet, usdc, parseUnits('1000', 6))
    await chain().travel(86_400)
    expect((await reserve(weth, provider))[0]).toBeGreaterThanOrEqual(parseEther('10'))
    expect((await reserve(usdc, provider))[2]).toBeGreaterThan(parseUnits('1000', 6))
    await erc20.setBalance(usdc, wallet, parseUnits('2000', 6))
    await market.repay(wallet, usdc, maxUint256)
    await market.withdraw(wallet, weth, maxUint256)
    expect((await reserve(usdc, provider)).slice(0, 3)).toEqual([0n, 0n, 0n])
    expect((await reserve(weth, provider)).slice(0, 3)).toEqual([0n, 0n, 0n])
    expect(await balance(weth)).toBeGreaterThanOrEqual(parseEther('10'))
  })

  test('aaveV3: one unit and 10^30 can be supplied; rewards can be claimed', async () => {
    const { erc20, aaveV3 } = chain().actions
    for (const amount of [1n, HUGE]) {
      await erc20.setBalance(link, wallet, amount)
      await aaveV3.supply(wallet, link, amount)
    }
    const [supplied] = await reserve(link)
    expect(supplied).toBeGreaterThanOrEqual(HUGE)
    expect(supplied).toBeLessThan(HUGE + 10n)
    const [aWeth] = await chain().client.readContract({
      address: at.aaveV3.dataProvider,
      abi,
      functionName: 'getReserveTokensAddresses',
      args: [weth],
    })
    const before = await balance(at.tokens.uni, wallets.demo.address)
    await aaveV3.claim(wallets.demo.address, [aWeth])
    expect(await balance(at.tokens.uni, wallets.demo.address)).toBeGreaterThan(before)
  })

  test('compoundV2: mint, borrow, repay and redeem, in tokens and in the native coin', async () => {
    const { erc20, native, compoundV2 } = chain().actions
    const { ceth, cdai } = at.compoundV2.markets
    const snapshot = (market: Address) =>
      chain().client.readContract({ address: market, abi, functionName: 'getAccountSnapshot', args: [wallet] })
    await native.setBalance(wallet, parseEther('5'))
    await erc20.setBalance(dai, wallet, parseEther('100'))
    await compoundV2.mint(wallet, ceth, parseEther('5'))
    expect(await chain().client.getBalance({ address: wallet })).toBe(0n)
    await compoundV2.mint(wallet, cdai, parseEther('100'))
    await compoundV2.enter(wallet, [ceth])
    await compoundV2.borrow(wallet, ceth, parseEther('0.5'))
    expect((await snapshot(ceth))[2]).toBe(parseEther('0.5'))
    expect(await chain().client.getBalance({ address: wallet })).toBe(parseEther('0.5'))
    await expect(compoundV2.borrow(wallet, cdai, parseEther('1000000'))).rejects.toThrow('math error')
    await compoundV2.repay(wallet, ceth, parseEther('0.25'))
    const [, tokens] = await snapshot(cdai)
    await compoundV2.redeem(wallet, cdai, tokens)
    expect((await snapshot(cdai))[1]).toBe(0n)
    expect(await balance(dai)).toBeGreaterThan(parseEther('99.999'))
  })

  test('compoundV2: the code pays its reward token', async () => {
    const { comptroller, rewardToken } = at.compoundV2
    const demo = wallets.demo.address
    expect(await balance(rewardToken, demo)).toBe(0n)
    await chain().write({ from: demo, address: comptroller, abi, functionName: 'claimVenus', args: [demo] })
    expect(await balance(rewardToken, demo)).toBeGreaterThan(0n)
  })
})

describe('liquidity', () => {
  test('uniswapV2: adds, swaps and removes', async () => {
    const { erc20, uniswapV2 } = chain().actions
    await erc20.setBalance(weth, wallet, parseEther('3'))
    await erc20.setBalance(usdc, wallet, parseUnits('3000', 6))
    await uniswapV2.add(
      wallet,
      { token: weth, amount: parseEther('1') },
      { token: usdc, amount: parseUnits('3000', 6) },
    )
    await uniswapV2.swap(wallet, { token: weth, amount: parseEther('1') }, usdc)
    expect(await balance(at.uniswapV2.pairs.usdcWeth)).toBeGreaterThan(0n)
    await uniswapV2.remove(wallet, weth, usdc)
    expect(await balance(at.uniswapV2.pairs.usdcWeth)).toBe(0n)
  })

  test('uniswapV3: mints, increases, decreases and collects', async () => {
    const { erc20, uniswapV3 } = chain().actions
    const manager = at.uniswapV3.manager
    const liquidity = async (id: bigint) =>
      (await chain().client.readContract({ address: manager, abi, functionName: 'positions', args: [id] }))[7]
    await erc20.setBalance(weth, wallet, parseEther('3'))
    await erc20.setBalance(usdc, wallet, parseUnits('9000', 6))
    const sides = [
      { token: weth, amount: parseEther('1') },
      { token: usdc, amount: parseUnits('3000', 6) },
    ] as const
    const id = await uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
    const first = await liquidity(id)
    await uniswapV3.increase(wallet, id, parseUnits('3000', 6), parseEther('1'))
    expect(await liquidity(id)).toBeGreaterThan(first)
    await uniswapV3.decrease(wallet, id, await liquidity(id))
    expect(await liquidity(id)).toBe(0n)
    await uniswapV3.collect(wallet, id)
    expect(await balance(weth)).toBeGreaterThan(parseEther('2.999'))
  })
})

describe('yield', () => {
  test('vault: yield raises what a share is worth', async () => {
    const { erc20, vault } = chain().actions
    const shareValue = () =>
      chain().client.readContract({
        address: at.local.vault,
        abi: erc4626Abi,
        functionName: 'convertToAssets',
        args: [10n ** 12n],
      })
    await erc20.setBalance(usdc, wallet, parseUnits('100', 6))
    await vault.deposit(wallet, parseUnits('100', 6))
    const before = await shareValue()
    await vault.earn(parseUnits('5000', 6))
    expect(await shareValue()).toBeGreaterThan(before)
    await vault.redeem(wallet, await balance(at.local.vault))
    expect(await balance(at.local.vault)).toBe(0n)
  })

  test('lido: a rebase changes balances, not shares; wrapping keeps shares', async () => {
    const { lido } = chain().actions
    const shares = (owner: Address) =>
      chain().client.readContract({ address: at.lido.steth, abi, functionName: 'sharesOf', args: [owner] })
    await lido.submit(wallet, parseEther('2'))
    const [held, worth] = [await shares(wallet), await balance(at.lido.steth)]
    await lido.rebase(parseEther('50'))
    expect(await shares(wallet)).toBe(held)
    expect(await balance(at.lido.steth)).toBeGreaterThan(worth)
    await lido.rebase(-parseEther('50'))
    expect(await balance(at.lido.steth)).toBe(worth)
    await lido.wrap(wallet, parseEther('1'))
    expect((await shares(wallet)) + (await balance(at.lido.wsteth))).toBe(held)
    await lido.unwrap(wallet, await balance(at.lido.wsteth))
    await lido.transferShares(wallet, wallets.empty.address, 7n)
    expect(await shares(wallets.empty.address)).toBe(7n)
  })
})

test('feeds: an answer can change, and be as old as one likes', async () => {
  const { feeds } = chain().actions
  const round = () => chain().client.readContract({ address: at.feeds.ethUsd, abi, functionName: 'latestRoundData' })
  await feeds.setAt(at.feeds.ethUsd, parseUnits('2500', 8), 1_700_000_000)
  expect((await round()).slice(1, 4)).toEqual([parseUnits('2500', 8), 1_700_000_000n, 1_700_000_000n])
  await feeds.refresh()
  const { timestamp } = await chain().client.getBlock()
  expect(await round()).toMatchObject({ 1: parseUnits('2500', 8), 3: timestamp })
})
