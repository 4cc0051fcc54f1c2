import { randomUUID } from 'node:crypto'
import type { Watch, WatchGap } from '@coffer/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import { isUuid } from '../../lib/uuid.ts'

export type OwnWatch = { accountId: string; id: string }

type Table = Tables['watch']
export type WatchTerms = Pick<Insertable<Table>, 'type'> &
  Partial<Pick<Insertable<Table>, 'address' | 'chain' | 'contract' | 'validator' | 'is_above' | 'threshold'>>

/** Oldest first. */
export async function selectWatches(db: Kysely<Tables>, accountId: string): Promise<Watch[]> {
  const ofAccount = db.selectFrom('watch').selectAll().where('account_id', '=', BigInt(accountId))
  return (await ofAccount.orderBy('created_at').orderBy('id').execute()).map(asShown)
}

export async function insertWatch(db: Kysely<Tables>, accountId: string, terms: WatchTerms): Promise<Watch> {
  const row = await db
    .insertInto('watch')
    .values({ id: randomUUID(), account_id: BigInt(accountId), ...terms })
    .returningAll()
    .executeTakeFirstOrThrow()
  return asShown(row)
}

export async function deleteWatch(db: Kysely<Tables>, { accountId, id }: OwnWatch): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('watch')
    .where('account_id', '=', BigInt(accountId))
    .where('id', '=', isUuid(id) ? id : null)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

function asShown(row: Selectable<Table>): Watch {
  const { id, type, address, chain, contract, validator } = row
  return {
    id,
    type,
    address,
    chain,
    contract,
    validator,
    direction: row.threshold === null ? null : directionOf(row.is_above === true),
    threshold: row.threshold === null ? null : spelled(row.threshold),
    state: stateOf(row),
    value: row.value === null ? 'N/A' : spelled(row.value),
    checkedAt: row.checked_at?.toISOString() ?? null,
    incomplete: row.incomplete as WatchGap[],
    createdAt: row.created_at.toISOString(),
  }
}

function stateOf({ settled_at, is_past }: Selectable<Table>): Watch['state'] {
  if (settled_at === null) return 'waiting'
  return is_past ? 'past' : 'clear'
}

export const directionOf = (isAbove: boolean): 'above' | 'below' => (isAbove ? 'above' : 'below')

export const spelled = (numeric: string): string => formatDecimal(decimal(numeric))
