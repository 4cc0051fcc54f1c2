import { startDevnet } from '@coffer/devnet'
import { parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { startService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { historyOf, syncEnd, undisturbedHistory } from '../sync.ts'
import { startProcess } from './service-process.ts'

const TRANSACTIONS = 12
/** The queue's number of attempts. A worker that ends may take its own job once more. */
const MOST_RESTARTS = 6
/** A worker that ends by each signal; `npm run test:deep` takes all attempts. */
const lastAttempts = sized({ small: 2, deep: undefined })
const random = seededRandom('sync restarts')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const service = await started(
  startService({ endpoints: { ethereum: [proxy.url] }, config: {}, env: { COFFER_ROLE: 'api' } }),
)

async function newWallet(): Promise<EvmAddress> {
  const { actions, addresses } = devnet.chains.ethereum
  const wallet = random.address()
  for (let i = 0; i < TRANSACTIONS; i += 1) {
    await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits(String(i + 1), 6))
  }
  return wallet
}

/** Delays calls from this number on until `release`. An endpoint proves its chain before a sync begins. */
function holdFrom(call: number) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let seen = 0
  proxy.reset()
  proxy.add({
    when: ({ method }) => method !== 'eth_chainId',
    fault: {
      async before() {
        seen += 1
        if (seen < call) return
        reached.resolve()
        await released.promise
      },
    },
  })
  return { reached: reached.promise, release: released.resolve }
}

/** A worker in a separate process that ends by the signal during the sync. */
async function endDuringSync(signal: 'SIGTERM' | 'SIGKILL', call: number): Promise<void> {
  const hold = holdFrom(call)
  const worker = startProcess({
    DATABASE_URL: service.databaseUrl,
    COFFER_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: proxy.url,
    COFFER_LOCAL_CHAINS: 'ethereum',
    COFFER_ROLE: 'worker',
  })
  await hold.reached
  const ended = worker.end(signal)
  hold.release()
  await ended
  // Does the queue's work on a dead process's job after half a minute and its pause (`queue.sql.test.ts`).
  await service.context.database.pool.query(
    `update jobs.job set start_after = now(),
      state = (case when retry_count < retry_limit then 'retry' else 'failed' end)::jobs.job_state
    where name = 'sync-wallet' and state in ('active', 'retry')`,
  )
}

/** Counts earlier attempts of the job, except for its last ones. */
async function skipAttempts(left: number): Promise<void> {
  await service.context.database.pool.query(
    `update jobs.job set retry_count = retry_limit + 1 - $1::int where name = 'sync-wallet'`,
    [left],
  )
}

async function jobStates(): Promise<string[]> {
  const { rows } = await service.context.database.pool.query<{ state: string }>(
    `select state::text from jobs.job where name = 'sync-wallet' order by created_on`,
  )
  return rows.map(({ state }) => state)
}

test('a sync during which its worker ends until the queue gives it up ends whole and is paid for once', async () => {
  const wallet = await newWallet()
  const before = Number(await service.client.getCredits())
  await service.client.syncTransactions({ body: { addresses: [wallet] } })
  if (lastAttempts) await skipAttempts(lastAttempts)
  for (let restart = 0; (await jobStates())[0] !== 'failed'; restart += 1) {
    expect(restart).toBeLessThan(MOST_RESTARTS)
    await endDuringSync(restart % 2 === 0 ? 'SIGTERM' : 'SIGKILL', 1 + restart)
  }
  expect(await jobStates()).toEqual(['failed'])
  expect(await service.client.syncTransactions({ body: { addresses: [wallet] } })).toBe('Address already syncing')
  proxy.reset()
  const worker = await service.startWorker()
  await worker.jobs.send('syncs-lost', {}, { singletonKey: 'now' })
  expect(await syncEnd(service, wallet)).toBe('done')
  expect(before - Number(await service.client.getCredits())).toBe(2)

  const options = { endpoints: { ethereum: [devnet.chains.ethereum.url] }, config: {} }
  const expected = await undisturbedHistory(options, wallet)
  expect(expected.filter((row) => row.startsWith('history_transaction'))).toHaveLength(TRANSACTIONS)
  expect(await historyOf(service, wallet)).toEqual(expected)
})
