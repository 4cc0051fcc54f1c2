import type { Portfolio } from '@coffer/contract'
import { type Devnet, deployPoison, POISONS, poisonAbi, startDevnet } from '@coffer/devnet'
import { formatUnits, parseEther, parseUnits } from 'viem'
import { describe, expect, inject, test } from 'vitest'
import { startService } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncAll } from '../sync.ts'

/**
 * Untrusted tokens with false events and balances do not affect a wallet's accounts. Each wallet has a hundred USDC
 * that came at 1. The figures were computed by hand.
 */

const USDC = parseUnits('100', 6)

const random = seededRandom('poison transfers')
const outsider = random.address()
const trader = random.address()
const besieged = random.address()
const wallets = new Map(POISONS.map(({ name }) => [name, random.address()]))

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const { ethereum } = devnet.chains
const { erc20, feeds } = ethereum.actions
const usdc = ethereum.addresses.tokens.usdc
await devnet.refreshFeeds()
await feeds.set(ethereum.addresses.feeds.ethUsd, parseUnits('2000', 8))
for (const wallet of [...wallets.values(), trader, besieged]) await erc20.mint(usdc, wallet, USDC)
for (const poison of POISONS) {
  const scene = { chain: ethereum, erc20, outsider, beside: usdc }
  await poison.play({ ...scene, wallet: wallets.get(poison.name) ?? besieged })
  await poison.play({ ...scene, wallet: besieged })
}
await trade()
const service = await started(startService({ devnet: { chains: { ethereum } as unknown as Devnet['chains'] } }))
await syncAll(service, [...wallets.values(), trader, besieged])

/** 100 USDC for 0.04 WETH, at a contract that also logs transfers of its own token, in and out. */
async function trade(): Promise<void> {
  const { ethereum } = devnet.chains
  const { weth } = ethereum.addresses.tokens
  const { erc20 } = ethereum.actions
  const { address } = await deployPoison({ chain: ethereum, outsider })
  await erc20.mint(weth, address, parseEther('0.04'))
  await erc20.allow(usdc, trader, address)
  const args = [usdc, USDC, weth, parseEther('0.04'), parseEther('1000000')] as const
  await ethereum.write({ from: trader, address, abi: poisonAbi, functionName: 'trade', args })
}

const assetOf = (portfolio: Portfolio, contract: string) =>
  portfolio.assetByProtocols['wallet']?.assets.find((asset) => asset.contract === contract.toLowerCase())

const expectFigures = (portfolio: Portfolio, closedPnl: string, totalCostBasis: string) =>
  expect(portfolio).toMatchObject({ openPnl: '0', closedPnl, totalCostBasis, dailyIncome: '0', pnlIncomplete: [] })

/** Everything that came of the honest token, at 1 each. */
const costOf = (gives: bigint) => formatUnits(USDC + gives, 6)

describe('the books of a wallet stay unchanged by logs of untrusted contracts', () => {
  test.each(POISONS.map(({ name, gives }) => [name, gives] as const))('%s', async (name, gives) => {
    const portfolio = await readPortfolio(service, wallets.get(name) ?? besieged)
    const cost = costOf(gives)
    expectFigures(portfolio, '0', cost)
    expect(assetOf(portfolio, usdc)).toMatchObject({ balance: cost, totalCostBasis: cost, openPnl: '0' })
  })

  test('and all of them together', async () => {
    const portfolio = await readPortfolio(service, besieged)
    const cost = costOf(POISONS.reduce((sum, { gives }) => sum + gives, 0n))
    expectFigures(portfolio, '0', cost)
  })
})

test('a trade of two honest tokens is the same with and without false logs', async () => {
  const portfolio = await readPortfolio(service, trader)
  // 100 USDC at a cost of 100 were given for 0.04 WETH, worth 80.
  expectFigures(portfolio, '-20', '80')
  const { transactions } = await service.client.listTransactions({ query: { addresses: [trader], txTypes: ['SWAP'] } })
  expect(transactions.map(({ closedPnl }) => closedPnl)).toEqual(['-20'])
  const { weth } = devnet.chains.ethereum.addresses.tokens
  const assets = transactions.flatMap(({ assetsIn, assetsOut }) => [...assetsIn, ...assetsOut])
  const honest = assets.filter(({ contract }) => [usdc, weth].some((token) => token.toLowerCase() === contract))
  expect(honest.map(({ symbol, costBasis, closedPnl }) => [symbol, costBasis, closedPnl])).toEqual([
    ['weth', '80', '0'],
    ['usdc', '100', '-20'],
  ])
})
