import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { bytesOf, hexOf } from '../../../lib/hex-bytes.ts'
import {
  createScanStore,
  inOneView,
  type ScannedPage,
  type ScanReach,
  type SearchedBlocks,
} from '../scans/scan-store.ts'

/** `index`: the chain's running number of withdrawals. `address` in lower case. */
export type Withdrawal = { validator: number; index: bigint; slot: number; amountGwei: bigint; address: string }

export type WithdrawalStore = ReturnType<typeof createWithdrawalStore>

export function createWithdrawalStore(db: Kysely<Tables>, reach: ScanReach) {
  const scan = createScanStore(db, 'withdrawals', reach)

  const save = (searched: SearchedBlocks<Withdrawal>): Promise<void> => scan.save(searched, insert)

  async function page({ index }: { index: number }, { offset, limit }: Place): Promise<ScannedPage<Withdrawal>> {
    return inOneView(db, async (trx) => {
      const of = trx.selectFrom('validator_withdrawal').where('validator', '=', index)
      const rows = await of.selectAll().orderBy('index', 'desc').offset(offset).limit(limit).execute()
      const { count } = await of.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
      return {
        rows: rows.map(({ amount_gwei: amountGwei, address, ...row }) => ({
          ...row,
          amountGwei,
          address: hexOf(address),
        })),
        totalRows: Number(count),
        searchedToSlot: await scan.searchedToSlot(trx, index),
      }
    })
  }

  return { scan, save, page }
}

async function insert(trx: Transaction<Tables>, rows: readonly Withdrawal[]): Promise<void> {
  const each = <T>(pick: (row: Withdrawal) => T) => rows.map(pick)
  await sql`
    insert into validator_withdrawal (index, amount_gwei, validator, slot, address)
    select * from unnest(${each(({ index }) => index.toString())}::bigint[],
      ${each(({ amountGwei }) => amountGwei.toString())}::bigint[], ${each(({ validator }) => validator)}::integer[],
      ${each(({ slot }) => slot)}::integer[], ${each(({ address }) => bytesOf(address))}::bytea[])
    on conflict do nothing`.execute(trx)
}
