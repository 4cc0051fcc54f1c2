import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { SignedText, Verdict } from '../../chains/owner-signature.ts'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { withAccountLock } from '../credits/account-lock.ts'
import { type Entry, selectEntries } from './address-book-store.ts'
import { writeChanges } from './entry-plan.ts'
import { findChallenge, saveChallenge, selectTimes, takeChallenge } from './owner-challenge-store.ts'

/** Long enough to fetch a hardware wallet. */
const CHALLENGE_SECONDS = 3_600
const NONCE_BYTES = 16

/** `expiresAt` in ISO 8601. */
export type Challenge = { text: string; expiresAt: string }

/** Replaces an earlier challenge. `service` names this installation to the signer. */
export async function createChallenge(
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
export type Proof = { entry: Entry; verifiedOn: string | null } | { refusal: string }

/** Consumes the challenge. After a refusal another signature may follow. */
export async function authorizeByOwner(
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
    /** Runs in the authorizing transaction. */
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
