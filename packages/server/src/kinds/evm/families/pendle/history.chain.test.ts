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
    const sy = await at.wrap(tokens.weth, tokens.uni)
    market = await at.open(sy, tokens.weth, 300)
    return { contracts: [market.market] }
  })
})
afterAll(() => bench?.stop())

/** The other side of what lies in a position without a token. */
const isPosition = ({ tokenId, amountRaw }: WalletTransaction['movements'][number]) =>
  tokenId === 0n && amountRaw === 0n

/** Types, protocols and whether a position took part, of the wallet's transactions in a play. Each is checked against what balances changed by. */
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
