import { startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { afterAll, expect, inject, test } from 'vitest'
import { startService } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

const random = seededRandom('transactions')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))
afterAll(async () => expect(await service.ledgerProblems()).toEqual([]))

test('what a wallet did is listed after a sync, newest first, with what it moved', async () => {
  const { actions, addresses, send } = devnet.chains.ethereum
  const wallet = random.address()
  const other = random.address()
  const { usdc } = addresses.tokens
  await actions.erc20.mint(usdc, wallet, parseUnits('5000', 6))
  await actions.native.give(other, parseEther('3'))
  await send({ from: other, to: wallet, value: parseEther('3') })
  await send({ from: wallet, to: other, value: parseEther('1') })
  await actions.vault.deposit(wallet, parseUnits('1000', 6))
  expect(await syncTransactions(service, wallet)).toBe('done')
  const { transactions } = await service.client.listTransactions({ query: { addresses: wallet } })
  expect(transactions.map(({ type, valueFiat }) => [type, valueFiat])).toEqual([
    ['DEPOSIT', '1000'],
    ['APPROVAL', '0'],
    ['TRANSFEROUT', '3000'],
    ['TRANSFERIN', '9000'],
    ['TRANSFERIN', '5000'],
  ])
  const portfolio = await readPortfolio(service, wallet)
  // The vault rounds a share down.
  expect(portfolio).toMatchObject({ totalCostBasis: '11000', openPnl: '-0.000001', closedPnl: '0', fees: '0' })
  expect(transactions[0]).toMatchObject({
    protocol: { key: 'nova_vaults' },
    assetsOut: [{ symbol: 'usdc', balance: '1000', costBasis: '1000', closedPnl: '0' }],
    assetsIn: [{ costBasis: '1000' }],
  })
})
