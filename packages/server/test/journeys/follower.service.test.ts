import { startDevnet } from '@coffer/devnet'
import { parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { NATIVE } from '../../src/domain/evm-address.ts'
import { beginRound } from '../followed-wallets.ts'
import { startService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

const WALLETS = 12
const random = seededRandom('follower')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const service = await started(startService({ endpoints: { ethereum: [proxy.url] } }))

async function stored(): Promise<Map<string, number>> {
  const rows = await service.context.database.db
    .selectFrom('history_transaction')
    .select(['wallet', ({ fn }) => fn.countAll<bigint>().as('n')])
    .groupBy('wallet')
    .execute()
  return new Map(rows.map(({ wallet, n }) => [wallet, Number(n)]))
}

test('wallets that were asked for are followed by one search for all of them, at no price', async () => {
  const { actions, addresses } = devnet.chains.ethereum
  const { usdc } = addresses.tokens
  const wallets = Array.from({ length: WALLETS }, () => random.address())
  const give = async () => {
    for (const wallet of wallets) await actions.erc20.mint(usdc, wallet, parseUnits('1', 6))
  }
  await give()
  for (const wallet of wallets) expect(await syncTransactions(service, wallet)).toBe('done')
  const before = await service.client.getCredits()
  await give()
  proxy.reset()
  await beginRound(service.context)
  await expect.poll(async () => [...(await stored()).values()], { interval: 50 }).toEqual(wallets.map(() => 2))
  expect(proxy.calls().filter(({ method }) => method === 'eth_getLogs')).toHaveLength(3)
  expect(await service.client.getCredits()).toBe(before)
  // Without a request: the portfolio's cost includes the last movement.
  const last = wallets.at(-1) ?? usdc
  const totals = async () => {
    const response = await service.get(`/v1/portfolio?addresses=${last}&waitForSync=true`)
    return (response.json() as { totalCostBasis: string }[])[0]?.totalCostBasis
  }
  await expect.poll(totals, { interval: 200 }).toBe('2')
})

test('what could not be priced when it came is priced by the next round', async () => {
  const { db } = service.context.database
  const unpriced = () => db.selectFrom('history_movement').select('wallet').where('priced_at', 'is', null).execute()
  // The state after a round that ended after storing its finds.
  const { wallet } = await db.selectFrom('history_movement').select('wallet').executeTakeFirstOrThrow()
  await db.updateTable('history_movement').set({ priced_at: null, price: null }).where('wallet', '=', wallet).execute()
  expect(await unpriced()).not.toEqual([])
  await beginRound(service.context, 'again')
  await expect.poll(unpriced, { interval: 50 }).toEqual([])
  // Interest alone, which no transaction shows.
  const at = await db.selectFrom('history_movement').select(['chain', 'block']).executeTakeFirstOrThrow()
  const interest = {
    wallet,
    ...at,
    block_time: new Date(),
    token: NATIVE,
    amount: '1',
    debt: false,
    kind: 'interest',
  } as const
  await db.insertInto('history_adjustment').values(interest).execute()
  const open = () => db.selectFrom('history_adjustment').select('wallet').where('priced_at', 'is', null).execute()
  expect(await open()).toEqual([{ wallet }])
  await beginRound(service.context, 'once more')
  await expect.poll(open, { interval: 50 }).toEqual([])
})
