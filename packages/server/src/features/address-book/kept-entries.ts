import { Failure } from '@coffer/contract'
import type { Kysely, Transaction } from 'kysely'
import type { ChainType, ChainTypes } from '../../chains/chain-type.ts'
import type { VerifyOwner } from '../../chains/owner-signature.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Tables } from '../../db/tables.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { type Actor, recordAction } from '../portal-users/audit.ts'
import { deleteEntry, type Entry, selectEntries } from './address-book-store.ts'
import { authorizeByOwner, type Challenge, createChallenge } from './owner-authorization.ts'

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
  /** Called only if a contract has to verify. */
  poolsOf(chainType: ChainType): ReadonlyMap<string, RpcPool>
}) {
  async function signableKind(of: EntryOf): Promise<{ chainType: ChainType; verify: VerifyOwner }> {
    await getEntry(db, of)
    const chainType = chainTypes.ofWallet(of.address)
    if (!chainType?.verifyOwner) throw refused('Signatures are checked for addresses of EVM chains and Solana alone')
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
