import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Place } from '../../domain/reward-buckets.ts'
import { createScanStore, inOneView, type ScannedPage, type SearchedBlocks } from './scan-store.ts'

/** `index`: the chain's running number of withdrawals. `address` in lower case. */
export type Withdrawal = { validator: number; index: bigint; slot: number; amountGwei: bigint; address: string }

export type WithdrawalStore = ReturnType<typeof createWithdrawalStore>

/** Withdrawals of tracked validators, with the blocks that were searched for them. */
export function createWithdrawalStore(db: Kysely<Tables>) {
  const scan = createScanStore(db, 'withdrawals')

  /** The same twice is the same. */
  function save(searched: SearchedBlocks<Withdrawal>): Promise<void> {
    return scan.save(searched, (trx, found) => {
      const rows = found.map(({ amountGwei, ...row }) => ({ ...row, amount_gwei: amountGwei }))
      return trx
        .insertInto('validator_withdrawal')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    })
  }

  async function page(validator: number, { offset, limit }: Place): Promise<ScannedPage<Withdrawal>> {
    return inOneView(db, async (trx) => {
      const of = trx.selectFrom('validator_withdrawal').where('validator', '=', validator)
      const rows = await of.selectAll().orderBy('index', 'desc').offset(offset).limit(limit).execute()
      const { count } = await of.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
      return {
        rows: rows.map(({ amount_gwei: amountGwei, ...row }) => ({ ...row, amountGwei })),
        totalRows: Number(count),
        searchedToSlot: await scan.searchedToSlot(trx, validator),
      }
    })
  }

  return { scan, save, page }
}
