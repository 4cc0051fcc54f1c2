import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type { ChainType, ChainTypes } from '../../chains/chain-type.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { type Actor, recordAction } from '../portal-users/audit.ts'
import { deleteEntry, type Entry, type EntryOf, selectEntries, writeChanges } from './address-book.ts'

/* For people, not API keys. They throw ADDRESSBOOK_ENTRY_NOT_FOUND or VALIDATION_ERROR. */

export type KeptEntries = {
  db: Db
  chainTypes: ChainTypes
  poolsOf(chainType: ChainType): ReadonlyMap<string, RpcPool>
}

export const removeKeptEntry = ({ db }: KeptEntries, actor: Actor, of: EntryOf): Promise<void> =>
  withAccountLock(db, of.accountId, async (trx) => {
    const { accountId, address } = of
    const { label, isPaid, ownerAuthorized } = await getEntry(trx, of)
    await deleteEntry(trx, accountId, address)
    const detail = { address, label, isPaid, ownerAuthorized }
    await recordAction(trx, actor, { action: 'removed an address', accountId, detail })
  })

/** Long enough to fetch a hardware wallet. */
const CHALLENGE_SECONDS = 3_600
const NONCE_BYTES = 16

/** Replaces an earlier challenge. `service` names this installation to the signer. */
export async function challengeOwner(context: KeptEntries, of: EntryOf, service: string) {
  await getSignable(context, of)
  const { db } = context
  const { now, later } = await selectTimes(db)
  const text = [
    'Sign this text to show that the address below is yours. It moves nothing and costs nothing.',
    '',
    `Service: ${service}`,
    `Account: ${of.accountId}`,
    `Address: ${of.address}`,
    `Nonce: ${randomBytes(NONCE_BYTES).toString('hex')}`,
    `Issued at: ${now.toISOString()}`,
    `Expires at: ${later.toISOString()}`,
  ].join('\n')
  const challenge = { text, expires_at: later }
  await db
    .insertInto('owner_challenge')
    .values({ ...keyOf(of), ...challenge })
    .onConflict((conflict) => conflict.columns(['account_id', 'address']).doUpdateSet(challenge))
    .execute()
  return { text, expiresAt: later.toISOString() }
}

/** Consumes the challenge unless refused. `verifiedOn`: chain whose contract accepted the signature; null: the key. */
export async function verifyOwner(context: KeptEntries, actor: Actor, of: EntryOf, signature: string) {
  const { accountId, address } = of
  const { chainType, verify } = await getSignable(context, of)
  const challenge = await findChallenge(context.db, of)
  if (!challenge) throw refused('There is no open challenge for this address: create one first.')
  if (!challenge.isOpen) throw refused('The challenge has expired: create a new one.')
  const { text } = challenge
  const verdict = await verify({ address, text, signature }, () => context.poolsOf(chainType))
  if (!verdict.isValid) {
    const by = 'the open challenge with this signature'
    const unasked = verdict.unasked.join(', ')
    if (unasked === '') throw refused(`This address did not sign ${by}.`)
    throw refused(
      `The key of this address did not sign ${by}, and no node could check it with a contract on ${unasked}.`,
    )
  }
  return withAccountLock(context.db, accountId, async (trx) => {
    if (!(await takeChallenge(trx, of, text))) throw refused('The challenge was used or replaced, or has expired.')
    await writeChanges(trx, of, { ownerAuthorized: true })
    await recordAction(trx, actor, { action: 'proved the owner of an address', accountId, detail: { address } })
    return { entry: await getEntry(trx, of), verifiedOn: verdict.chain }
  })
}

const refused = (message: string) => new Failure('VALIDATION_ERROR', message)

async function getEntry(db: Db, { accountId, address }: EntryOf): Promise<Entry> {
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) throw new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', `The address book has no ${address}`)
  return entry
}

async function getSignable({ db, chainTypes }: KeptEntries, of: EntryOf) {
  await getEntry(db, of)
  const chainType = chainTypes.ofWallet(of.address)
  if (!chainType?.verifyOwner) throw refused('Only signatures of EVM and Solana addresses can be checked')
  return { chainType, verify: chainType.verifyOwner }
}

const keyOf = ({ accountId, address }: EntryOf) => ({ account_id: BigInt(accountId), address })

/** Database time, to the millisecond. */
const selectTimes = (db: Db) =>
  db
    .selectNoFrom([
      sql<Date>`date_trunc('milliseconds', now())`.as('now'),
      sql<Date>`date_trunc('milliseconds', now()) + make_interval(secs => ${CHALLENGE_SECONDS})`.as('later'),
    ])
    .executeTakeFirstOrThrow()

const findChallenge = (db: Db, of: EntryOf) =>
  db
    .selectFrom('owner_challenge')
    .select(['text', sql<boolean>`expires_at > now()`.as('isOpen')])
    .where((eb) => eb.and(keyOf(of)))
    .executeTakeFirst()

async function takeChallenge(trx: Trx, of: EntryOf, text: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from owner_challenge
    where account_id = ${BigInt(of.accountId)} and address = ${of.address} and text = ${text}
      and expires_at > now()`.execute(trx)
  return numAffectedRows === 1n
}
