import { type Devnet, deployPoison, devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startService, type TestService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { syncTransactions } from '../sync.ts'

/**
 * What one process learned of a token, another one knows: a process that serves, and has answered before, beside a worker that
 * meets the token first. 5 ZED of 18 decimals come and go at 2 USD.
 */

const random = seededRandom('facts of processes')
const early = random.address()
const wallet = random.address()
const outside = random.address()

let devnet: Devnet
let service: TestService
let zed: Address
beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  const { ethereum } = devnet.chains
  const { address, call } = await deployPoison({ chain: ethereum, stranger: outside }, { name: 'Zed', symbol: 'ZED' })
  zed = address
  const prices = { priceOverrides: [{ chain: 'ethereum', token: zed.toLowerCase(), usd: '2' }] }
  service = await startService({
    devnet: { chains: { ethereum } as unknown as Devnet['chains'] },
    config: { ...devnetConfig(), ...prices },
    env: { COFFER_ROLE: 'api' },
  })
  await ethereum.actions.erc20.mint(ethereum.addresses.tokens.usdc, early, 1n)
  await service.client.getPortfolio({ query: { addresses: [early] } })
  await service.client.listTransactions({ query: { addresses: [early] } })
  await call('mint', [outside, parseUnits('10', 18)])
  await ethereum.actions.erc20.transfer(zed, outside, wallet, parseUnits('5', 18))
  await ethereum.actions.erc20.transfer(zed, wallet, outside, parseUnits('2', 18))
  await service.startWorker()
  expect(await syncTransactions(service, wallet)).toBe('done')
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await devnet?.stop()
})

test('a process that has not met a token shows and accounts for it as the one that has', async () => {
  const { transactions } = await service.client.listTransactions({ query: { addresses: [wallet], sort: 'ASC' } })
  const assets = transactions.flatMap(({ assetsIn, assetsOut }) => [...assetsIn, ...assetsOut])
  const shown = { symbol: 'zed', decimal: '18', price: '2', closedPnl: '0', contract: zed.toLowerCase() }
  expect(assets).toMatchObject([
    { ...shown, balance: '5', value: '10', costBasis: '10' },
    { ...shown, balance: '2', value: '4', costBasis: '4' },
  ])
  expect(transactions.map(({ valueFiat }) => valueFiat)).toEqual(['10', '4'])
  const { db } = service.context.database
  const results = await db
    .selectFrom('accounting_result')
    .select('cost_basis')
    .where('wallet', '=', wallet.toLowerCase() as Address)
    .execute()
  expect(results.map(({ cost_basis }) => Number(cost_basis)).toSorted((a, b) => a - b)).toEqual([4, 10])
})
