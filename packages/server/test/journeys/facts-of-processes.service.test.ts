import { type Devnet, deployPoison, devnetConfig, ownArtifact, startDevnet } from '@coffer/devnet'
import { type Address, parseAbi, parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { startService, type TestService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'
import { shownLines } from './portfolio-lines.ts'

/**
 * Processes share what they find out about tokens and contracts. One process has already answered requests; a worker
 * and a second server encounter the token or contract first. 5 ZED of 18 decimals come and go at 2 USD.
 */

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const vaultAbi = parseAbi(['function deposit(uint256 assets, address receiver) returns (uint256 shares)'])

const random = seededRandom('facts of processes')
const early = random.address()
const wallet = random.address()
const outside = random.address()
const saver = random.address()
const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const { ethereum } = devnet.chains
const { address, call } = await deployPoison({ chain: ethereum, outsider: outside }, { name: 'Zed', symbol: 'ZED' })
const zed = address
const prices = { priceOverrides: [{ chain: 'ethereum', token: zed.toLowerCase(), usd: '2' }] }
const service = await started(
  startService({
    devnet: { chains: { ethereum } as unknown as Devnet['chains'] },
    config: { ...devnetConfig(), ...prices },
    env: { COFFER_ROLE: 'api' },
    clock,
  }),
)
await ethereum.actions.erc20.mint(ethereum.addresses.tokens.usdc, early, 1n)
await service.client.getPortfolio({ query: { addresses: [early] } })
await service.client.listTransactions({ query: { addresses: [early] } })
await call('mint', [outside, parseUnits('10', 18)])
await ethereum.actions.erc20.transfer(zed, outside, wallet, parseUnits('5', 18))
await ethereum.actions.erc20.transfer(zed, wallet, outside, parseUnits('2', 18))
await service.startWorker()
expect(await syncTransactions(service, wallet)).toBe('done')

test('a process that has not read a token shows and accounts for it like the process that has', async () => {
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

test('a process shows a position in a vault that another one recognised after its own list was read', async () => {
  const { ethereum } = devnet.chains
  const { usdc } = ethereum.addresses.tokens
  const address = await ethereum.deployTo(random.address(), ownArtifact('Vault'), [usdc, 'Strange', 'strUSDC'])
  await ethereum.actions.erc20.mint(usdc, saver, parseUnits('1000', 6))
  await ethereum.actions.erc20.allow(usdc, saver, address)
  const deposit = { abi: vaultAbi, functionName: 'deposit', args: [parseUnits('1000', 6), saver] } as const
  await ethereum.write({ from: saver, address, ...deposit })
  const linesOf = async ({ getPortfolio }: TestService['client']) => {
    const portfolios = await getPortfolio({ query: { addresses: [saver], waitForSync: true } })
    return portfolios.flatMap((portfolio) => shownLines(portfolio, 'ethereum'))
  }
  const inVault = `erc4626 ${address.toLowerCase()} supplied[${usdc.toLowerCase()}=1000000000] borrowed[] rewards[] `

  const { client: other } = await service.startApi()
  let lines = await linesOf(other)
  // The background search of the read finds the shares.
  while (lines.length === 0) lines = await linesOf(other)
  expect(lines).toEqual([inVault])
  clock.advance(NOT_FRESH_MS)
  expect(await linesOf(service.client)).toEqual([inVault])
})
