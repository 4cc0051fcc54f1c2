import { SNAPSHOT_YEAR_CREDITS, type SnapshotSubscription } from '@coffer/contract'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import {
  describeSubscriptions,
  extendSubscriptions,
  findStandings,
  insertSubscriptions,
  selectRunning,
} from './subscription-store.ts'

/** `description` absent: unchanged. */
type Wanted = { address: Address; description?: string | null | undefined }

type AskFirst = (
  trx: Transaction<Tables>,
  firsts: readonly { accountId: string; address: Address; date: string }[],
) => Promise<void>

/*
 * `priceOf` and `subscribe` need the account's lock (`PaidChanges`), so that the price fits. Other calls of the account
 * wait: the number of statements must not depend on the addresses.
 */

/** A running subscription costs nothing. */
export async function quoteEach(
  db: Kysely<Tables>,
  accountId: string,
  addresses: readonly Address[],
): Promise<{ address: Address; credits: number }[]> {
  const standings = await findStandings(db, accountId, addresses)
  return [...standings].map(([address, standing]) => ({
    address,
    credits: standing === 'running' ? 0 : SNAPSHOT_YEAR_CREDITS,
  }))
}

export async function priceOf(trx: Transaction<Tables>, accountId: string, wanted: readonly Wanted[]): Promise<number> {
  const each = await quoteEach(trx, accountId, addressesOf(wanted))
  return each.reduce((total, { credits }) => total + credits, 0)
}

export async function subscribe(
  trx: Transaction<Tables>,
  accountId: string,
  {
    wanted,
    askFirst,
    isPassing,
  }: { wanted: readonly Wanted[]; askFirst: AskFirst; isPassing(wallet: Address): boolean },
): Promise<SnapshotSubscription[]> {
  const standings = await findStandings(trx, accountId, addressesOf(wanted))
  const those = (standing: string) => addressesOf(wanted).filter((address) => standings.get(address) === standing)
  await extendSubscriptions(trx, accountId, those('ending'))
  await insertSubscriptions(
    trx,
    accountId,
    those('none').map((address) => ({ address, isPassing: isPassing(address) })),
  )
  await describeSubscriptions(
    trx,
    accountId,
    wanted.flatMap(({ address, description }) => (description === undefined ? [] : [{ address, description }])),
  )
  const running = await selectRunning(trx, accountId, addressesOf(wanted))
  const answer = wanted.map(({ address }) => {
    const subscription = running.get(address)
    if (!subscription) throw new Error('a subscription that was just written is not there')
    return {
      address,
      description: subscription.description,
      subscribedAt: subscription.subscribedAt.toISOString(),
      expiresAt: subscription.expiresAt.toISOString(),
      credits: standings.get(address) === 'running' ? 0 : SNAPSHOT_YEAR_CREDITS,
    }
  })
  const begun = answer.filter(({ address }) => standings.get(address) === 'none')
  await askFirst(
    trx,
    begun.map(({ address, subscribedAt }) => ({ accountId, address, date: subscribedAt.slice(0, 10) })),
  )
  return answer
}

const addressesOf = (wanted: readonly Wanted[]) => wanted.map(({ address }) => address)
