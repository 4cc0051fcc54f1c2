import { type Devnet, startDevnet } from '@coffer/devnet'
import { sql } from 'kysely'
import { parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { listSyncs } from '../../src/features/history/sync/sync-progress.ts'
import { beginRound, followFromNow } from '../followed-wallets.ts'
import { startService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'

const WALLETS = 100
const random = seededRandom('poisonous wallets')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet: { chains: { ethereum: devnet.chains.ethereum } } as Devnet }))

/** Makes PostgreSQL refuse writes of the wallet's rows, as for a wrong statement. */
async function refuse(action: 'insert' | 'update', table: string, wallet: EvmAddress): Promise<void> {
  const { pool } = service.context.database
  const name = `refuse_${action}`
  await pool.query(`create function ${name}() returns trigger language plpgsql as
    $$ begin raise exception 'poison on ${action}'; end $$`)
  await pool.query(`create trigger ${name} before ${action} on ${table} for each row
    when (new.wallet = '${wallet}') execute function ${name}()`)
}

const round = (name: string) => beginRound(service.context, name)

async function stored() {
  const { db } = service.context.database
  const { rows } = await sql<{ wallet: string; unpriced: boolean }>`
    select wallet, bool_or(priced_at is null) as unpriced from history_movement group by wallet`.execute(db)
  return new Map(rows.map(({ wallet, unpriced }) => [wallet, unpriced]))
}

async function setAside() {
  const { db } = service.context.database
  const rows = await db.selectFrom('history_set_aside').selectAll().orderBy('step').execute()
  return rows.map(({ wallet, step, reason }) => ({ wallet, step, reason }))
}

/** Seconds until the next retry of a set-aside wallet. */
async function shortestPause(): Promise<number> {
  const { rows } = await service.context.database.pool.query<{ seconds: number }>(
    'select min(extract(epoch from retry_at - clock_timestamp()))::float8 as seconds from history_set_aside',
  )
  return rows[0]?.seconds ?? 0
}

test('two poisonous wallets among a hundred are set aside and shown; the others are followed, priced and whole', async () => {
  const { actions, addresses, client } = devnet.chains.ethereum
  const { db } = service.context.database
  const wallets = Array.from({ length: WALLETS }, () => random.address()).toSorted()
  const [unreadable, unpriceable, ...others] = wallets as [EvmAddress, EvmAddress, ...EvmAddress[]]
  await followFromNow(db, client, wallets)
  await refuse('insert', 'history_transaction', unreadable)
  await refuse('update', 'history_movement', unpriceable)
  for (const wallet of wallets) await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('1', 6))
  const head = await client.getBlockNumber()
  await round('first')
  const priced = [...others.map((wallet) => [wallet, false] as const), [unpriceable, true] as const]
  await expect.poll(stored, { interval: 200 }).toEqual(new Map(priced))
  await expect.poll(setAside, { interval: 100 }).toEqual([
    { wallet: unpriceable, step: 'price', reason: 'poison on update' },
    { wallet: unreadable, step: 'search', reason: 'poison on insert' },
  ])
  const behind = db.selectFrom('history_state').select('wallet').where('block', '<', head)
  expect(await behind.execute()).toEqual([{ wallet: unreadable }])
  const { value: shown } = await listSyncs(db, unreadable).next()
  expect(shown?.setAside).toMatchObject([{ chain: 'ethereum', step: 'search', reason: 'poison on insert' }])
  const metrics = await service.context.admin.inject({ url: '/metrics' })
  expect(metrics.body).toMatch(/^coffer_history_set_aside 2$/m)

  // A second failure makes the pause longer than the first one's minute.
  const due = () => sql`update history_set_aside set retry_at = '1970-01-01'`.execute(db)
  await due()
  await round('second')
  await expect.poll(shortestPause, { interval: 100 }).toBeGreaterThan(61)

  await sql`drop trigger refuse_insert on history_transaction`.execute(db)
  await sql`drop trigger refuse_update on history_movement`.execute(db)
  await due()
  await round('third')
  await expect.poll(stored, { interval: 200 }).toEqual(new Map(wallets.map((wallet) => [wallet, false])))
  await expect.poll(setAside, { interval: 100 }).toEqual([])
})
