import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ChainType, ChainTypes } from '../../chains/chain-type.ts'
import type { SignedText, Verdict, VerifyOwner } from '../../chains/owner-signature.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { type Actor, recordAction } from '../portal-users/audit.ts'
import { deleteEntry, type Entry, selectEntries, writeChanges } from './address-book-store.ts'

type EntryOf = { accountId: string; address: string }

export type KeptEntries = ReturnType<typeof createKeptEntries>

/** Operations for people, not API keys. Throws ADDRESSBOOK_ENTRY_NOT_FOUND or VALIDATION_ERROR. */
export function createKeptEntries({
  db,
  chainTypes,
  poolsOf,
}: {
  db: Kysely<Tables>
  chainTypes: Pick<ChainTypes, 'ofWallet'>
  poolsOf(chainType: ChainType): ReadonlyMap<string, RpcPool>
}) {
  async function signableKind(of: EntryOf): Promise<{ chainType: ChainType; verify: VerifyOwner }> {
    await getEntry(db, of)
    const chainType = chainTypes.ofWallet(of.address)
    if (!chainType?.verifyOwner) throw refused('Only signatures of EVM and Solana addresses can be checked')
    return { chainType, verify: chainType.verifyOwner }
  }

  return {
    list: (accountId: string): Promise<Entry[]> => selectEntries(db, accountId),
    remove: (actor: Actor, of: EntryOf): Promise<void> =>
      withAccountLock(db, of.accountId, async (trx) => {
        const { accountId, address } = of
        const { label, isPaid, ownerAuthorized } = await getEntry(trx, of)
        await deleteEntry(trx, accountId, address)
        const detail = { address, label, isPaid, ownerAuthorized }
        await recordAction(trx, actor, { action: 'removed an address', accountId, detail })
      }),
    async challenge(of: EntryOf, service: string): Promise<Challenge> {
      await signableKind(of)
      return createChallenge(db, { ...of, service })
    },
    async verify(actor: Actor, { accountId, address }: EntryOf, signature: string) {
      const { chainType, verify } = await signableKind({ accountId, address })
      const proof = await authorizeByOwner(db, {
        accountId,
        address,
        signature,
        verify: (signed) => verify(signed, () => poolsOf(chainType)),
        record: (trx: Transaction<Tables>) =>
          recordAction(trx, actor, { action: 'proved the owner of an address', accountId, detail: { address } }),
      })
      if ('refusal' in proof) throw refused(proof.refusal)
      return proof
    },
  }
}

const refused = (message: string) => new Failure('VALIDATION_ERROR', message)

async function getEntry(db: Kysely<Tables>, { accountId, address }: EntryOf): Promise<Entry> {
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) throw new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', `The address book has no ${address}`)
  return entry
}

/** Long enough to fetch a hardware wallet. */
const CHALLENGE_SECONDS = 3_600
const NONCE_BYTES = 16

/** `expiresAt` in ISO 8601. */
type Challenge = { text: string; expiresAt: string }

/** Replaces an earlier challenge. `service` names this installation to the signer. */
async function createChallenge(
  db: Kysely<Tables>,
  { accountId, address, service }: { accountId: string; address: string; service: string },
): Promise<Challenge> {
  const { now, later } = await selectTimes(db, CHALLENGE_SECONDS)
  const text = [
    'Sign this text to show that the address below is yours. It moves nothing and costs nothing.',
    '',
    `Service: ${service}`,
    `Account: ${accountId}`,
    `Address: ${address}`,
    `Nonce: ${randomBytes(NONCE_BYTES).toString('hex')}`,
    `Issued at: ${now.toISOString()}`,
    `Expires at: ${later.toISOString()}`,
  ].join('\n')
  await saveChallenge(db, { accountId, address }, { text, expiresAt: later })
  return { text, expiresAt: later.toISOString() }
}

/** `verifiedOn`: chain whose contract accepted the signature; null: the key signed. */
type Proof = { entry: Entry; verifiedOn: string | null } | { refusal: string }

/** Consumes the challenge. After a refusal another signature may follow. */
async function authorizeByOwner(
  db: Kysely<Tables>,
  {
    accountId,
    address,
    signature,
    verify,
    record,
  }: {
    accountId: string
    address: Address
    signature: string
    verify(signed: SignedText): Promise<Verdict>
    record(trx: Transaction<Tables>): Promise<void>
  },
): Promise<Proof> {
  const of = { accountId, address }
  const challenge = await findChallenge(db, of)
  if (!challenge) return { refusal: 'There is no open challenge for this address: create one first.' }
  if (!challenge.isOpen) return { refusal: 'The challenge has expired: create a new one.' }
  const verdict = await verify({ address, text: challenge.text, signature })
  if (!verdict.isValid) return { refusal: refusalOf(verdict.unasked) }
  return withAccountLock(db, accountId, async (trx) => {
    if (!(await takeChallenge(trx, of, challenge.text))) {
      return { refusal: 'The challenge was used or replaced, or has expired.' }
    }
    await writeChanges(trx, of, { ownerAuthorized: true })
    await record(trx)
    const [entry] = await selectEntries(trx, accountId, of.address)
    if (!entry) throw new Error('a challenge goes with its entry')
    return { entry, verifiedOn: verdict.chain }
  })
}

function refusalOf(unasked: readonly string[]): string {
  if (unasked.length === 0) return 'This address did not sign the open challenge with this signature.'
  return `The key of this address did not sign the open challenge with this signature, and no node could check it with a contract on ${unasked.join(', ')}.`
}

/** Database time, to the millisecond. */
async function selectTimes(db: Kysely<Tables>, seconds: number): Promise<{ now: Date; later: Date }> {
  const { rows } = await sql<{ now: Date; later: Date }>`
    select date_trunc('milliseconds', now()) as now,
      date_trunc('milliseconds', now()) + make_interval(secs => ${seconds}) as later`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without from has one row')
  return row
}

async function saveChallenge(
  db: Kysely<Tables>,
  { accountId, address }: EntryOf,
  { text, expiresAt }: { text: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('owner_challenge')
    .values({ account_id: BigInt(accountId), address, text, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(['account_id', 'address']).doUpdateSet({ text, expires_at: expiresAt }))
    .execute()
}

async function findChallenge(
  db: Kysely<Tables>,
  { accountId, address }: EntryOf,
): Promise<{ text: string; isOpen: boolean } | undefined> {
  return db
    .selectFrom('owner_challenge')
    .select(['text', sql<boolean>`expires_at > now()`.as('isOpen')])
    .where((eb) => eb.and({ account_id: BigInt(accountId), address }))
    .executeTakeFirst()
}

async function takeChallenge(
  trx: Transaction<Tables>,
  { accountId, address }: EntryOf,
  text: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('owner_challenge')
    .where((eb) => eb.and({ account_id: BigInt(accountId), address, text }))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
