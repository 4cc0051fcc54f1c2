import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestService } from './harness.ts'

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
