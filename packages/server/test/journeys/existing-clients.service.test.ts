import { startDevnet } from '@coffer/devnet'
import { expect, inject, test } from 'vitest'
import { startService } from '../harness.ts'
import { started } from '../started.ts'
import { readPortfolio, readTransaction } from '../strict-reader.ts'
import { syncTransactions } from '../sync.ts'

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))

const read = async (path: string): Promise<unknown[]> => {
  const { status, json } = await service.get(path)
  expect([path, status]).toEqual([path, 200])
  return json() as unknown[]
}

test('a strict reader reads the whole demonstration, and its principal is the net worth', async () => {
  const wallet = devnet.wallets.demo.address
  expect(await syncTransactions(service, wallet)).toBe('done')
  const all = 'includeImages=true&includeExplorerUrls=true&waitForSync=true'
  for (const path of ['/v1/portfolio', '/v1/wallet']) {
    const [entry] = await read(`${path}?addresses=${wallet}&${all}`)
    const { networth, principal } = readPortfolio(entry)
    expect(principal).toBe(networth)
    expect(networth).toBeGreaterThan(0n)
  }
  const { json } = await service.get(`/v1/transactions?addresses=${wallet}&includeImages=true&limit=250`)
  const { transactions } = json() as { transactions: unknown[] }
  expect(transactions.length).toBeGreaterThan(10)
  for (const transaction of transactions) readTransaction(transaction)
})

test('names as clients spell them are taken, and those that mean nothing are named', async () => {
  const wallet = devnet.wallets.demo.address
  const asked = `/v1/transactions?Addresses=${wallet}&start_date=2020-01-01&tx_types=transferin,swap&page=2`
  const { status, headers, json } = await service.get(asked)
  expect([status, headers.get('x-ignored-parameters')]).toEqual([200, 'page'])
  const { transactions } = json() as { transactions: { type: string }[] }
  const types = new Set(transactions.map(({ type }) => type))
  expect([...types].filter((type) => type !== 'TRANSFERIN' && type !== 'SWAP')).toEqual([])
  expect(types.size).toBeGreaterThan(0)
})
