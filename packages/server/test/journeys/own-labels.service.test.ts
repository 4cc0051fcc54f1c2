import type { Transaction } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { expect, inject, test } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { syncTransactions } from '../sync.ts'

const random = seededRandom('own labels')

test('a contract that only the operator labels names the protocol of a transaction, and can be filtered by', async () => {
  const devnet = await startDevnet({ state: inject('devnetState') })
  const { actions, url } = devnet.chains.ethereum
  const [wallet, contract] = [random.address(), random.address()]
  await actions.native.setBalance(wallet, 10n ** 18n)
  const node = nodeAt(url)
  // Accepts any call.
  await node.send('anvil_setCode', contract, '0x00')
  await node.send('anvil_impersonateAccount', wallet)
  for (const to of [contract, random.address()]) {
    await node.send('eth_sendTransaction', { from: wallet, to, data: '0x12345678', gasPrice: '0x77359400' })
  }
  await node.send('evm_mine')
  const tags = { owner_project: 'our-registry', usage_category: 'other' }
  const service = await startService({
    devnet,
    clock: testClock(),
    env: { COFFER_LABELS: 'labels.json' },
    files: { 'labels.json': JSON.stringify([{ chain_id: 'eip155:1', address: contract, tags }]) },
  })
  expect(await syncTransactions(service, wallet)).toBe('done')
  const listed = async (query = '') => {
    const { json } = await service.get(`/v1/transactions?addresses=${wallet}&sort=ASC${query}`)
    return (json() as { transactions: Transaction[] }).transactions.map(({ protocol }) => protocol.name)
  }
  expect(await listed()).toEqual(['our-registry', 'Unknown'])
  expect(await listed('&protocols=our-registry')).toEqual(['our-registry'])
  await service.stop()
  await devnet.stop()
})
