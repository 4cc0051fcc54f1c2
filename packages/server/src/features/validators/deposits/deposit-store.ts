import { sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import { createStatistics } from '../../../db/statistics.ts'
import type { Db, Tables, Trx } from '../../../db/tables.ts'
import type { SignedDeposit } from '../../../domain/deposit-signature.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { bytesOf, hexOf } from '../../../lib/hex-bytes.ts'
import { createScanStore, inOneView, type ScannedPage, type SearchedBlocks } from '../scans/scan-store.ts'
import type { Reach, Validator } from '../validator-store.ts'

/** `index`: the contract's running number. `slot` null: unknown; no block before `searchSlot` includes it. */
export type Deposit = SignedDeposit & { index: bigint; slot: number | null; searchSlot: number }

/** Its signature must be verified first. */
type UnlookedDeposit = { unlooked: Deposit }

export type DepositStore = ReturnType<typeof createDepositStore>

export function createDepositStore(db: Db, reach: Reach) {
  const scan = createScanStore(db, 'deposits', reach)

  const statistics = createStatistics(db, ['validator_deposit'])

  async function save(searched: SearchedBlocks<Deposit>): Promise<void> {
    await scan.save(searched, insert)
    await statistics.noteAdded(searched.rows.length)
  }

  /** Keys whose deposits are all known. */
  const known =
    reach === 'all'
      ? sql`validator_deposit deposit
          where (select ${scan.isCoveredOfAll} from validator_scan scan where scan.kind = 'deposits')`
      : sql`validator join validator_scan scan on scan.kind = 'deposits'
          join validator_deposit deposit on deposit.pubkey = decode(substr(validator.pubkey, 3), 'hex')
          where validator.tracked and ${scan.isCovered}`

  /** The genesis state may contain these. */
  async function listEarly(keys: number): Promise<Deposit[]> {
    const { rows } = await sql<Tables['validator_deposit']>`
      with early as materialized (select deposit.* from ${known} and slot is null and search_slot = 0)
      select * from early where pubkey in (select pubkey from early group by pubkey order by min(index) limit ${keys})
      order by index`.execute(db)
    return rows.map(depositOf)
  }

  /** Excludes keys with unplaced genesis deposits. */
  async function listWaiting(limit: number): Promise<Deposit[]> {
    const { rows } = await sql<Tables['validator_deposit']>`
      select deposit.* from ${known} and slot is null and search_slot > 0
        and deposit.pubkey not in (select pubkey from validator_deposit where slot is null and search_slot = 0)
      order by deposit.index limit ${limit}`.execute(db)
    return rows.map(depositOf)
  }

  /** No block before `searchSlot` includes `lookedFor`, nor other deposits of the found keys. */
  async function place(
    found: readonly { index: bigint; slot: number }[],
    lookedFor: readonly bigint[],
    searchSlot: number,
  ): Promise<void> {
    const indices = found.map(({ index }) => index.toString())
    await db.transaction().execute(async (trx) => {
      await sql`
        update validator_deposit deposit set slot = found.slot
        from ${rowTable('found', { index: 'bigint', slot: 'integer' }, found)}
        where deposit.index = found.index`.execute(trx)
      const ofTheirKeys = sql`array(select index from validator_deposit where pubkey = any(array(
        select pubkey from validator_deposit where index = any(${indices}::bigint[]))))`
      await sql`
        update validator_deposit set search_slot = ${searchSlot}
        where index = any(${ofTheirKeys} || ${lookedFor.map(String)}::bigint[])
          and slot is null and search_slot < ${searchSlot}`.execute(trx)
    })
  }

  /** From the deposit that created the validator on; earlier ones, which its key did not sign, are lost. */
  function page({ index, pubkey }: Validator, place: Place): Promise<ScannedPage<Deposit> | UnlookedDeposit> {
    return inOneView(db, async (trx) => {
      const searched = await scan.searchedToSlot(trx, index)
      const first = await findFirst(trx, pubkey, searched !== null)
      return typeof first === 'object' ? first : pageFrom(trx, { pubkey, first, searched, ...place })
    })
  }

  async function noteSigned(index: bigint, signed: boolean): Promise<void> {
    const looked = { signed, signature: Buffer.alloc(0) }
    await db.updateTable('validator_deposit').set(looked).where('index', '=', index).execute()
  }

  return { scan, save, listEarly, listWaiting, place, page, noteSigned }
}

const AFTER_ALL = 2n ** 63n - 1n

/** A validator has a signed deposit: a single candidate needs no verification. */
async function findFirst(trx: Db, pubkey: string, isSearched: boolean): Promise<bigint | UnlookedDeposit> {
  const deposits = trx.selectFrom('validator_deposit').where('pubkey', '=', bytesOf(pubkey))
  const signed = await deposits.where('signed', '=', true).orderBy('index').limit(1).select('index').executeTakeFirst()
  const first = signed?.index ?? AFTER_ALL
  const [unlooked, ...others] = await deposits
    .where('signed', 'is', null)
    .where('index', '<', first)
    .orderBy('index')
    .limit(2)
    .selectAll()
    .execute()
  if (!unlooked) return first
  if (!signed && isSearched && others.length === 0) return unlooked.index
  return { unlooked: depositOf(unlooked) }
}

async function pageFrom(
  trx: Db,
  { pubkey, first, searched, offset, limit }: Place & { pubkey: string; first: bigint; searched: number | null },
): Promise<ScannedPage<Deposit>> {
  const all = trx.selectFrom('validator_deposit').where('pubkey', '=', bytesOf(pubkey)).where('index', '>=', first)
  const placed = all.where('slot', 'is not', null)
  const ordered = placed.orderBy('slot', 'desc').orderBy('index', 'desc')
  const rows = await ordered.selectAll().offset(offset).limit(limit).execute()
  const { count } = await placed.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const { waits } = await all
    .where('slot', 'is', null)
    .select((eb) => eb.fn.min('search_slot').as('waits'))
    .executeTakeFirstOrThrow()
  return {
    rows: rows.map(depositOf),
    totalRows: Number(count),
    searchedToSlot: searched === null || waits === null ? searched : Math.min(searched, waits - 1),
  }
}

function depositOf(row: Tables['validator_deposit']): Deposit {
  return {
    pubkey: hexOf(row.pubkey),
    index: row.index,
    amountGwei: row.amount_gwei,
    withdrawalCredentials: hexOf(row.withdrawal_credentials),
    signature: hexOf(row.signature),
    slot: row.slot,
    searchSlot: row.search_slot,
  }
}

/** An existing row keeps its slot and signature check. */
async function insert(trx: Trx, deposits: readonly Deposit[]): Promise<void> {
  const columns = { index: 'bigint', amountGwei: 'bigint', slot: 'integer', searchSlot: 'integer' }
  const bytes = { pubkey: 'bytea', withdrawalCredentials: 'bytea', signature: 'bytea' }
  const rows = deposits.map((row) => ({
    ...row,
    pubkey: bytesOf(row.pubkey),
    withdrawalCredentials: bytesOf(row.withdrawalCredentials),
    signature: bytesOf(row.signature),
  }))
  await sql`
    insert into validator_deposit
      (index, amount_gwei, slot, search_slot, pubkey, withdrawal_credentials, signature)
    select index, "amountGwei", slot, "searchSlot", pubkey, "withdrawalCredentials", signature
    from ${rowTable('found', { ...columns, ...bytes }, rows)} on conflict do nothing`.execute(trx)
}
