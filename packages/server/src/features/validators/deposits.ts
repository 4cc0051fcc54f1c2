import type { ValidatorDeposit } from '@coffer/contract'
import { epochOfSlot, timeOfSlot } from '../../domain/beacon-time.ts'
import type { Place } from '../../domain/reward-buckets.ts'
import type { DepositStore } from './deposit-store.ts'
import { inWei } from './in-wei.ts'
import type { PresentedPage } from './present-page.ts'
import type { ScannedPages } from './scanned-pages.ts'
import type { ValidatorId } from './tracking.ts'

/** First bytes of credentials that end in the address to which withdrawals go. */
const ADDRESS_PREFIXES = ['0x01', '0x02']
const PREFIX_DIGITS = 4
const ADDRESS_DIGITS = 40

export type Deposits = ReturnType<typeof createDeposits>

/** What was deposited for validators. */
export function createDeposits({ store, pages }: { store: Pick<DepositStore, 'page'>; pages: ScannedPages }) {
  /** A page of those that blocks carry that are final, newest first. NOT_FOUND for a validator that does not exist. */
  function list(id: ValidatorId, place: Place): Promise<PresentedPage<ValidatorDeposit>> {
    return pages.show(id, place, store.page, (times, { slot, index, amountGwei, withdrawalCredentials }) => ({
      slot,
      epoch: epochOfSlot(times, slot),
      timestamp: timeOfSlot(times, slot),
      amount: inWei(amountGwei),
      depositIndex: Number(index),
      withdrawalCredentials,
      withdrawalAddress: addressIn(withdrawalCredentials),
    }))
  }

  return { list }
}

function addressIn(credentials: string): string | null {
  const isAddress = ADDRESS_PREFIXES.includes(credentials.slice(0, PREFIX_DIGITS))
  return isAddress ? `0x${credentials.slice(-ADDRESS_DIGITS)}` : null
}
