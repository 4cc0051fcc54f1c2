import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { pendle, tokens } = addresses.ethereum
const DAY_SECONDS = 86_400
const PROTOCOL = 'pendle'

let bench: HistoryBench
let market: Awaited<ReturnType<HistoryBench['chain']['actions']['pendle']['open']>>
let nextWallet = 0x9e4d_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async ({ actions: { pendle: at } }) => {
    await at.deploy()
    await at.route.deploy()
    const sy = await at.wrap(tokens.weth, tokens.uni)
    market = await at.open(sy, tokens.weth, 300)
    return { contracts: [market.market] }
  })
})
afterAll(() => bench?.stop())

/** Counterpart of a position without a token. */
const isPosition = ({ tokenId, amountRaw }: WalletTransaction['movements'][number]) =>
  tokenId === 0n && amountRaw === 0n

/** Types, protocols and use of a position, of the wallet's transactions. Checks each against the balance changes. */
async function played(wallet: Address, play: () => Promise<unknown>) {
  const before = await bench.client.getBlockNumber()
  await play()
  const read = await bench.readSince(wallet, before)
  return read.map(({ type, protocol, movements }) => [type, protocol, movements.some(isPosition)])
}

it('names what a wallet does with PENDLE', async () => {
  const { pendle: at, erc20 } = bench.chain.actions
  const wallet = newWallet()
  await erc20.mint(pendle.token, wallet, parseEther('100'))
  for (const spender of [pendle.lock, pendle.stake]) await erc20.allow(pendle.token, wallet, spender)
  const week = BigInt(7 * DAY_SECONDS)
  const expiry = ((await bench.client.getBlock()).timestamp / week + 4n) * week
  expect(await played(wallet, () => at.lock(wallet, parseEther('30'), expiry))).toEqual([['STAKE', PROTOCOL, true]])
  expect(await played(wallet, () => at.lock(wallet, parseEther('5'), expiry))).toEqual([['STAKE', PROTOCOL, true]])
  expect(await played(wallet, () => at.stake(wallet, parseEther('50')))).toEqual([['STAKE', PROTOCOL, false]])
  expect(await played(wallet, () => at.cool(wallet, parseEther('20')))).toEqual([['UNSTAKE', PROTOCOL, true]])
  await bench.chain.travel(40 * DAY_SECONDS)
  expect(await played(wallet, () => at.unlock(wallet))).toEqual([['UNSTAKE', PROTOCOL, true]])
  expect(await played(wallet, () => at.unstake(wallet))).toEqual([['WITHDRAW', PROTOCOL, true]])
})

it('names what a wallet does with SY, PT, YT and LP', async () => {
  const { pendle: at, erc20 } = bench.chain.actions
  const wallet = newWallet()
  await erc20.mint(tokens.weth, wallet, parseEther('10'))
  await erc20.allow(tokens.weth, wallet, market.sy)
  expect(await played(wallet, () => at.deposit(wallet, market, parseEther('8')))).toEqual([
    ['DEPOSIT', PROTOCOL, false],
  ])
  await at.mint(wallet, market, parseEther('4'))
  await at.add(wallet, market, parseEther('2'), parseEther('2'))
  await at.setRate(market.sy, parseEther('1.1'))
  expect(await played(wallet, () => at.claim(wallet, market))).toEqual([['CLAIM', PROTOCOL, false]])
})

const names = () =>
  new Map(Object.entries({ ...market, pendle: pendle.token }).map(([name, one]) => [`${one}`.toLowerCase(), name]))

/** Types with the movements of each leg. */
async function legs(wallet: Address, play: () => Promise<unknown>) {
  const before = await bench.client.getBlockNumber()
  await play()
  return (await bench.readSince(wallet, before))
    .filter(({ type }) => type !== 'APPROVAL')
    .map(({ type, protocol, movements }) => [
      type,
      protocol,
      ...movements
        .map(({ token, amountRaw, leg, treatment }) => {
          return `${leg} ${treatment} ${amountRaw < 0n ? '-' : '+'}${names().get(token) ?? token}`
        })
        .toSorted(),
    ])
}

it('plays LP and PT through the router: minted and redeemed with YT, traded, added and removed', async () => {
  const { pendle: at, erc20 } = bench.chain.actions
  const maker = newWallet()
  await erc20.mint(tokens.weth, maker, parseEther('400'))
  await at.deposit(maker, market, parseEther('400'))
  await at.mint(maker, market, parseEther('150'))
  await at.add(maker, market, parseEther('100'), parseEther('100'))
  const wallet = newWallet()
  await erc20.mint(tokens.weth, wallet, parseEther('20'))
  await at.deposit(wallet, market, parseEther('20'))
  const held = (token: Address) => erc20.balanceOf(token, wallet)
  const { route } = at
  expect(
    await legs(wallet, async () => {
      await route.mint(wallet, market, parseEther('8'))
      await route.redeem(wallet, market, parseEther('1'))
      await route.buy(wallet, market, parseEther('2'))
      await route.sell(wallet, market, parseEther('1'))
      await route.add(wallet, market, parseEther('3'), parseEther('3'))
      await route.remove(wallet, market, await held(market.market))
    }),
  ).toEqual([
    ['DEPOSIT', PROTOCOL, '0 move +pt', '0 move +yt', '0 move -sy'],
    ['WITHDRAW', PROTOCOL, '0 move +sy', '0 move -pt', '0 move -yt'],
    ['SWAP', PROTOCOL, '0 swap +pt', '0 swap -sy'],
    ['SWAP', PROTOCOL, '0 swap +sy', '0 swap -pt'],
    ['ADDLIQUIDITY', PROTOCOL, '0 move +market', '0 move -pt', '0 move -sy'],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +pt', '0 move +sy', '0 move -market'],
  ])
})
