import type { ValidatorWithdrawal } from '@coffer/contract'
import { epochOfSlot, timeOfSlot } from '../../../domain/beacon-time.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { inWei } from '../in-wei.ts'
import type { PresentedPage } from '../present-page.ts'
import type { ScannedPages } from '../scans/scanned-pages.ts'
import type { ValidatorId } from '../tracking.ts'
import type { WithdrawalStore } from './withdrawal-store.ts'

export type Withdrawals = ReturnType<typeof createWithdrawals>

/** What was paid out of validators' balances. */
export function createWithdrawals({ store, pages }: { store: Pick<WithdrawalStore, 'page'>; pages: ScannedPages }) {
  /** A page of what was found in blocks that are final, newest first. NOT_FOUND for a validator that does not exist. */
  function list(id: ValidatorId, place: Place): Promise<PresentedPage<ValidatorWithdrawal>> {
    return pages.show(id, place, store.page, (times, { validator, slot, amountGwei, address }) => ({
      slot,
      epoch: epochOfSlot(times, slot),
      timestamp: timeOfSlot(times, slot),
      amount: inWei(amountGwei),
      address,
      index: validator,
    }))
  }

  return { list }
}
