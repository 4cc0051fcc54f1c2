import type { ValidatorWithdrawal } from '@coffer/contract'
import { epochOfSlot, timeOfSlot } from '../../../domain/beacon-time.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { inWei } from '../in-wei.ts'
import type { PresentedPage } from '../present-page.ts'
import type { ScannedPages } from '../scans/scanned-pages.ts'
import type { ValidatorId } from '../tracking.ts'
import type { WithdrawalStore } from './withdrawal-store.ts'

export type Withdrawals = ReturnType<typeof createWithdrawals>

export function createWithdrawals({ store, pages }: { store: Pick<WithdrawalStore, 'page'>; pages: ScannedPages }) {
  /** From final blocks, newest first. NOT_FOUND for an unknown validator. */
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
