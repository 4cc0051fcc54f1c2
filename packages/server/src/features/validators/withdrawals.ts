import { sql } from 'kysely'
import { rowTable } from '../../db/row-table.ts'
import type { Db, Trx } from '../../db/tables.ts'
import type { BeaconTimes } from '../../domain/beacon-time.ts'
import type { Place } from '../../domain/reward-buckets.ts'
import { bytesOf, hexOf } from '../../lib/hex-bytes.ts'
import { slotOfBlock } from './beacon-chain.ts'
import type { ScanContext, ValidatorsContext } from './context.ts'
import { inWei, placeOfSlot, scannedPage } from './present.ts'
import {
  createScanStore,
  inOneView,
  type MissingBlocks,
  type ScannedPage,
  type SearchedBlocks,
} from './scans/scan-store.ts'
import type { ValidatorId } from './tracking.ts'
import type { Reach } from './validator-store.ts'

/** `index`: the chain's running number of withdrawals. `address` in lower case. */
export type Withdrawal = { validator: number; index: bigint; slot: number; amountGwei: bigint; address: string }

export type WithdrawalStore = ReturnType<typeof createWithdrawalStore>

export function createWithdrawalStore(db: Db, reach: Reach) {
  const scan = createScanStore(db, 'withdrawals', reach)

  const save = (searched: SearchedBlocks<Withdrawal>): Promise<void> => scan.save(searched, insert)

  async function page({ index }: { index: number }, { offset, limit }: Place): Promise<ScannedPage<Withdrawal>> {
    return inOneView(db, async (trx) => {
      const of = trx.selectFrom('validator_withdrawal').where('validator', '=', index)
      const rows = await of.selectAll().orderBy('index', 'desc').offset(offset).limit(limit).execute()
      const { count } = await of.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
      return {
        rows: rows.map(({ amount_gwei, ...row }) => ({ ...row, amountGwei: amount_gwei, address: hexOf(row.address) })),
        totalRows: Number(count),
        searchedToSlot: await scan.searchedToSlot(trx, index),
      }
    })
  }

  return { scan, save, page }
}

const COLUMNS = { index: 'bigint', amountGwei: 'bigint', validator: 'integer', slot: 'integer', address: 'bytea' }

async function insert(trx: Trx, withdrawals: readonly Withdrawal[]): Promise<void> {
  const rows = withdrawals.map((row) => ({ ...row, address: bytesOf(row.address) }))
  await sql`
    insert into validator_withdrawal (index, amount_gwei, validator, slot, address)
    select index, "amountGwei", validator, slot, address
    from ${rowTable('found', COLUMNS, rows)} on conflict do nothing`.execute(trx)
}

/** Some seconds of reading. */
export const WITHDRAWAL_PIECE_BLOCKS = 500n

/** No index lists withdrawals; blocks of every fork carry them in the same form. */
export async function searchWithdrawals(
  { withdrawals: store, execution }: ScanContext,
  times: BeaconTimes,
  { fromBlock, toBlock, validators }: MissingBlocks,
): Promise<void> {
  const wanted = validators === 'all' ? undefined : new Set(validators)
  const blocks = await execution.withdrawals({ fromBlock, toBlock })
  const rows = blocks.flatMap(({ timestamp, withdrawals }) => {
    const found = wanted ? withdrawals.filter(({ validatorIndex }) => wanted.has(validatorIndex)) : withdrawals
    if (found.length === 0) return []
    const slot = slotOfBlock(times, timestamp)
    return found.map(({ validatorIndex, ...withdrawal }) => ({ ...withdrawal, validator: validatorIndex, slot }))
  })
  await store.save({ fromBlock, toBlock, validators, rows })
}

export function listWithdrawals(context: ValidatorsContext, id: ValidatorId, place: Place) {
  const { page } = context.withdrawals
  return scannedPage(context, id, place, page, (times, { validator, slot, amountGwei, address }) => ({
    ...placeOfSlot(times, slot),
    amount: inWei(amountGwei),
    address,
    index: validator,
  }))
}
