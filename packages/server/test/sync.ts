import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { type ServiceOptions, startService, type TestService } from './harness.ts'
import { dumpHistory } from './history-dump.ts'

const LOOKS_MS = 100

/** Returns the outcome. */
export async function syncTransactions(
  service: Pick<TestService, 'client' | 'context'>,
  wallet: string,
): Promise<string> {
  await service.client.syncTransactions({ body: { addresses: [wallet] } })
  return syncEnd(service, wallet)
}

/** Returns the outcome. */
export async function syncEnd(service: Pick<TestService, 'context'>, wallet: string): Promise<string> {
  const { db } = service.context.database
  for (;;) {
    const row = await db
      .selectFrom('history_sync')
      .select(['state', 'reason'])
      .where('wallet', '=', wallet.startsWith('0x') ? wallet.toLowerCase() : wallet)
      .executeTakeFirst()
    if (row && row.state !== 'running') return row.reason ? `${row.state}: ${row.reason}` : row.state
    await wait(LOOKS_MS)
  }
}

/** Throws unless the syncs of all wallets end well. */
export async function syncAll(
  service: Pick<TestService, 'client' | 'context'>,
  wallets: readonly string[],
): Promise<void> {
  const ends = await Promise.all(wallets.map((wallet) => syncTransactions(service, wallet)))
  expect(ends).toEqual(wallets.map(() => 'done'))
}

/** Moves the ends of earlier syncs far back. */
export async function letSyncAgain({ context }: Pick<TestService, 'context'>): Promise<void> {
  await context.database.pool.query("update history_sync set completed_at = '1970-01-01'")
}

/** Credits spent by the service's owner. */
export async function spent({ client }: Pick<TestService, 'client'>): Promise<number> {
  return 1_000_000 - Number(await client.getCredits())
}

export const historyOf = ({ context }: Pick<TestService, 'context'>, wallet: string): Promise<string[]> =>
  dumpHistory(context.database.db, wallet)

/** Of a service without faults and stored data. */
export async function undisturbedHistory(options: ServiceOptions, wallet: string): Promise<string[]> {
  const service = await startService(options)
  expect(await syncTransactions(service, wallet)).toBe('done')
  const history = await historyOf(service, wallet)
  await service.stop()
  return history
}

export async function countTransactions({ context }: Pick<TestService, 'context'>, wallet: string): Promise<number> {
  const query = 'select count(*)::int as n from history_transaction where wallet = $1'
  const { rows } = await context.database.pool.query<{ n: number }>(query, [wallet])
  return rows[0]?.n ?? 0
}
