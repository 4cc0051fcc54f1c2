import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Place } from '../../domain/reward-buckets.ts'
import { createScanStore, inOneView, type ScannedPage, type SearchedBlocks } from './scan-store.ts'

/**
 * `index`: the contract's running number of deposits. `slot`: of the beacon block that carries it; null while that is not
 * known, and then no block before `searchSlot` does.
 */
export type Deposit = {
  validator: number
  index: bigint
  amountGwei: bigint
  withdrawalCredentials: string
  slot: number | null
  searchSlot: number
  /** By the validator's key, or by no other deposit before it. */
  signed: boolean
}

/** A deposit whose slot is known. */
export type PlacedDeposit = Deposit & { slot: number }

/** A deposit whose slot is not known. */
export type UnplacedDeposit = Deposit & { pubkey: string }

export type DepositStore = ReturnType<typeof createDepositStore>

/** Deposits for tracked validators, with the blocks that were searched for them. */
export function createDepositStore(db: Kysely<Tables>) {
  const scan = createScanStore(db, 'deposits')

  /** The same twice is the same; a slot that was found since stays. */
  function save(searched: SearchedBlocks<Deposit>): Promise<void> {
    return scan.save(searched, (trx, found) =>
      trx
        .insertInto('validator_deposit')
        .values(found.map(asRow))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )
  }

  /** Of validators all of whose deposits are known, in order of their numbers. */
  const listUnplaced = () => unplacedOf(db, scan.isCovered)

  /** Stores slots that were found, and that the others among those looked for are in no block before `searchSlot`. */
  async function place(
    found: readonly { index: bigint; slot: number }[],
    lookedFor: readonly bigint[],
    searchSlot: number,
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      for (const { index, slot } of found) {
        await trx.updateTable('validator_deposit').set({ slot }).where('index', '=', index).execute()
      }
      await sql`update validator_deposit set search_slot = ${searchSlot}
        where index = any(${lookedFor.map(String)}::bigint[]) and slot is null and search_slot < ${searchSlot}`.execute(
        trx,
      )
    })
  }

  /**
   * Those whose slot is known and that made the validator, or came after that: what was deposited before for a key that did
   * not sign is lost.
   */
  async function page(validator: number, { offset, limit }: Place): Promise<ScannedPage<PlacedDeposit>> {
    return inOneView(db, async (trx) => {
      const all = trx
        .selectFrom('validator_deposit')
        .where('validator', '=', validator)
        .where('index', '>=', (eb) =>
          eb
            .selectFrom('validator_deposit as made')
            .select((made) => made.fn.min('made.index').as('index'))
            .where('made.validator', '=', validator)
            .where('made.signed', '=', true),
        )
      const placed = all.where('slot', 'is not', null)
      const ordered = placed.orderBy('slot', 'desc').orderBy('index', 'desc')
      const rows = await ordered.selectAll().offset(offset).limit(limit).execute()
      const { count } = await placed.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
      const { first } = await all
        .where('slot', 'is', null)
        .select((eb) => eb.fn.min('search_slot').as('first'))
        .executeTakeFirstOrThrow()
      const searched = await scan.searchedToSlot(trx, validator)
      return {
        rows: rows.map((row) => ({ ...asDeposit(row), slot: Number(row.slot) })),
        totalRows: Number(count),
        searchedToSlot: searched === null || first === null ? searched : Math.min(searched, first - 1),
      }
    })
  }

  return {
    scan,
    save,
    listKnown: (validators: readonly number[]) => listKnown(db, validators),
    listUnplaced,
    place,
    page,
  }
}

async function unplacedOf(db: Kysely<Tables>, isCovered: RawBuilder<boolean>): Promise<UnplacedDeposit[]> {
  const rows = await db
    .selectFrom('validator_deposit as deposit')
    .innerJoin('validator', 'validator.index', 'deposit.validator')
    .innerJoin('validator_scan as scan', (join) => join.on('scan.kind', '=', 'deposits'))
    .selectAll('deposit')
    .select('validator.pubkey')
    .where('deposit.slot', 'is', null)
    .where(isCovered)
    .orderBy('deposit.index')
    .execute()
  return rows.map(({ pubkey, ...row }) => ({ ...asDeposit(row), pubkey }))
}

/** Those of these validators of whom some deposit is stored. */
async function listKnown(db: Kysely<Tables>, validators: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ validator: number }>`
    select distinct validator from validator_deposit where validator = any(${validators})`.execute(db)
  return rows.map(({ validator }) => validator)
}

type DepositRow = Tables['validator_deposit']

function asDeposit({ amount_gwei, withdrawal_credentials, search_slot, ...row }: DepositRow): Deposit {
  return {
    ...row,
    amountGwei: amount_gwei,
    withdrawalCredentials: withdrawal_credentials,
    searchSlot: search_slot,
  }
}

function asRow({ amountGwei, withdrawalCredentials, searchSlot, ...row }: Deposit): DepositRow {
  return { ...row, amount_gwei: amountGwei, withdrawal_credentials: withdrawalCredentials, search_slot: searchSlot }
}
