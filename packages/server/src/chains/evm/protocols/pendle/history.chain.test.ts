import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { historyBench, legsOf } from '../../../../../test/history-bench.ts'

const { pendle, tokens } = addresses.ethereum
const DAY_SECONDS = 86_400
const PROTOCOL = 'pendle'

const bench = await historyBench(async ({ actions: { pendle: at } }) => {
  await at.deploy()
  await at.route.deploy()
  const sy = await at.wrap(tokens.weth, tokens.uni)
  const market = await at.open(sy, tokens.weth, 300)
  return { market, contracts: [market.market] }
})
const { market } = bench.made
const { pendle: at, erc20 } = bench.chain.actions
const { sy, pt, yt, market: lp } = market
const { token, lock, stake } = pendle
const NAMES = { sy, pt, yt, lp, pendle: token, lock, stake, weth: tokens.weth, uni: tokens.uni }

async function legs(wallet: Address, play: () => Promise<unknown>) {
  const found = await bench.played(wallet, play)
  return legsOf(found, NAMES).filter(([type]) => type !== 'APPROVAL')
}

it('names what a wallet does with PENDLE', async () => {
  const wallet = bench.newWallet()
  await erc20.mint(pendle.token, wallet, parseEther('100'))
  const week = BigInt(7 * DAY_SECONDS)
  const expiry = ((await bench.client.getBlock()).timestamp / week + 4n) * week
  const found = await legs(wallet, async () => {
    await at.lock(wallet, parseEther('30'), expiry)
    await at.lock(wallet, parseEther('5'), expiry)
    await at.stake(wallet, parseEther('50'))
    await at.cool(wallet, parseEther('20'))
    await bench.chain.travel(40 * DAY_SECONDS)
    await at.unlock(wallet)
    await at.unstake(wallet)
  })
  expect(found).toEqual([
    ['STAKE', PROTOCOL, '0 move -pendle', '0 move lock 0'],
    ['STAKE', PROTOCOL, '0 move -pendle', '0 move lock 0'],
    ['STAKE', PROTOCOL, '0 move +stake', '0 move -pendle'],
    ['UNSTAKE', PROTOCOL, '0 move +pendle', '0 move -stake', '1 move -pendle', '1 move stake 0'],
    ['UNSTAKE', PROTOCOL, '0 move +pendle', '0 move lock 0'],
    ['WITHDRAW', PROTOCOL, '0 move +pendle', '0 move stake 0'],
  ])
})

it('names what a wallet does with SY, PT, YT and LP', async () => {
  const wallet = bench.newWallet()
  await erc20.mint(tokens.weth, wallet, parseEther('10'))
  expect(await legs(wallet, () => at.deposit(wallet, market, parseEther('8')))).toEqual([
    ['DEPOSIT', PROTOCOL, '0 move +sy', '0 move -weth'],
  ])
  await at.mint(wallet, market, parseEther('4'))
  await at.add(wallet, market, parseEther('2'), parseEther('2'))
  await at.setRate(market.sy, parseEther('1.1'))
  expect(await legs(wallet, () => at.claim(wallet, market))).toEqual([['CLAIM', PROTOCOL, '0 income +sy']])
})

it('plays LP and PT through the router: minted and redeemed with YT, traded, added and removed', async () => {
  const maker = bench.newWallet()
  await erc20.mint(tokens.weth, maker, parseEther('400'))
  await at.deposit(maker, market, parseEther('400'))
  await at.mint(maker, market, parseEther('150'))
  await at.add(maker, market, parseEther('100'), parseEther('100'))
  const wallet = bench.newWallet()
  await erc20.mint(tokens.weth, wallet, parseEther('20'))
  await at.deposit(wallet, market, parseEther('20'))
  const { route } = at
  const found = await legs(wallet, async () => {
    await route.mint(wallet, market, parseEther('8'))
    await route.redeem(wallet, market, parseEther('1'))
    await route.buy(wallet, market, parseEther('2'))
    await route.sell(wallet, market, parseEther('1'))
    await route.add(wallet, market, parseEther('3'), parseEther('3'))
    await route.remove(wallet, market, await erc20.balanceOf(lp, wallet))
  })
  expect(found).toEqual([
    ['DEPOSIT', PROTOCOL, '0 move +pt', '0 move +yt', '0 move -sy'],
    ['WITHDRAW', PROTOCOL, '0 move +sy', '0 move -pt', '0 move -yt'],
    ['SWAP', PROTOCOL, '0 swap +pt', '0 swap -sy'],
    ['SWAP', PROTOCOL, '0 swap +sy', '0 swap -pt'],
    ['ADDLIQUIDITY', PROTOCOL, '0 move +lp', '0 move -pt', '0 move -sy'],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +pt', '0 move +sy', '0 move -lp'],
  ])
})
