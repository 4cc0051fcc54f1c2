import type { Transaction } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { expect, inject, test } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { syncTransactions } from '../sync.ts'

const random = seededRandom('own labels')

test('a labelled contract names the protocol of a transaction, and of a proxy for it', async () => {
  const devnet = await startDevnet({ state: inject('devnetState') })
  const { actions, url } = devnet.chains.ethereum
  const [wallet, contract, proxy] = [random.address(), random.address(), random.address()]
  await actions.native.setBalance(wallet, 10n ** 18n)
  const node = nodeAt(url)
  // Accepts any call.
  await node.send('anvil_setCode', contract, '0x00')
  // A minimal proxy (EIP-1167).
  await node.send('anvil_setCode', proxy, `0x363d3d373d3d3d363d73${contract.slice(2)}5af43d82803e903d91602b57fd5bf3`)
  await node.send('anvil_impersonateAccount', wallet)
  for (const to of [contract, proxy, random.address()]) {
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
    return (json() as { transactions: Transaction[] }).transactions.map(({ protocol }) => protocol)
  }
  const own = { key: 'our-registry', name: 'our-registry' }
  const ofProxy = { ...own, basis: 'implementation' }
  expect(await listed()).toEqual([own, ofProxy, { key: 'unknown', name: 'Unknown' }])
  expect(await listed('&protocols=our-registry')).toEqual([own, ofProxy])
  await service.stop()
  await devnet.stop()
})
