import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'

const { usdc, dai } = addresses.ethereum.tokens
const usdcGate: Address = '0x6b9e773128f453f5c2c60935ee2de2cbc5390a24'
const hypeGate: Address = '0x2222222222222222222222222222222222222222'
/** System address of the token with the number 360. */
const daiGate: Address = '0x2000000000000000000000000000000000000168'

const random = seededRandom('hyperliquid history')
let bench: HistoryBench

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async () => ({
    rows: [
      {
        ...{ family: 'hyperliquid', key: 'hyperliquid', name: 'Hyperliquid', chain: 'ethereum' },
        deployment: { usdc, usdcGate, hype: 150, collaterals: [0], lent: [], vaults: [] },
      },
    ],
  }))
})
afterAll(() => bench?.stop())

it('reports transfers to HyperCore and back as deposits and withdrawals', async () => {
  const wallet = random.address()
  const { erc20 } = bench.chain.actions
  await bench.fund(wallet, parseEther('10'))
  await bench.fund(hypeGate, parseEther('10'))
  await erc20.mint(usdc, wallet, 1_000n)
  await erc20.mint(dai, wallet, 500n)
  const before = await bench.client.getBlockNumber()
  await erc20.transfer(usdc, wallet, usdcGate, 900n)
  await bench.send(wallet, hypeGate, '0x', parseEther('3'))
  await erc20.transfer(dai, wallet, daiGate, 500n)
  // More of one token and less of another return: the rest was traded.
  await erc20.transfer(usdc, usdcGate, wallet, 200n)
  await bench.send(hypeGate, wallet, '0x', parseEther('4'))
  await erc20.transfer(dai, daiGate, wallet, 100n)
  const found = await bench.readSince(wallet, before)
  const summary = found.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    movements
      .filter(({ treatment }) => treatment === 'move')
      .map(({ token, amountRaw, counterparty }) => [token, amountRaw, counterparty]),
  ])
  expect(summary).toEqual([
    ['DEPOSIT', 'hyperliquid', [[evmAddress(usdc), -900n, usdcGate]]],
    ['DEPOSIT', 'hyperliquid', [[NATIVE, -parseEther('3'), hypeGate]]],
    ['DEPOSIT', 'hyperliquid', [[evmAddress(dai), -500n, daiGate]]],
    ['WITHDRAW', 'hyperliquid', [[evmAddress(usdc), 200n, usdcGate]]],
    ['WITHDRAW', 'hyperliquid', [[NATIVE, parseEther('4'), hypeGate]]],
    ['WITHDRAW', 'hyperliquid', [[evmAddress(dai), 100n, daiGate]]],
  ])
  const quotes = {
    usdc: { address: usdc, decimals: 0, price: '3', had: '1000', paid: '2' },
    dai: { address: dai, decimals: 0, price: '3', had: '500', paid: '2' },
    coin: { address: NATIVE, price: '40', had: '10', paid: '30' },
  }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      ...{ usdc: '300 at 600', 'usdc in a position': '700 at 1400' },
      ...{ dai: '100 at 200', 'dai in a position': '400 at 800', coin: '11 at 340' },
    },
    // Coin beyond the deposited three is income.
    ...{ basis: '3340', income: '40', realised: '0', disposals: 0, flagged: [] },
  })
})
