import { setImmediate as turn } from 'node:timers/promises'
import type { ValidatorDeposit } from '@coffer/contract'
import { epochOfSlot, timeOfSlot } from '../../../domain/beacon-time.ts'
import { isDepositSigned } from '../../../domain/deposit-signature.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import { inWei } from '../in-wei.ts'
import type { PresentedPage } from '../present-page.ts'
import type { ScannedPage } from '../scans/scan-store.ts'
import type { ScannedPages } from '../scans/scanned-pages.ts'
import type { ValidatorId } from '../tracking.ts'
import type { Validator } from '../validator-store.ts'
import type { DepositStore, PlacedDeposit } from './deposit-store.ts'

/** Credentials with these prefixes end in the withdrawal address. */
const ADDRESS_PREFIXES = ['0x01', '0x02']
const PREFIX_DIGITS = 4
const ADDRESS_DIGITS = 40

export type Deposits = ReturnType<typeof createDeposits>

export function createDeposits({
  store,
  pages,
  chain,
}: {
  store: Pick<DepositStore, 'page' | 'noteSigned'>
  pages: ScannedPages
  chain: { facts(): Promise<Pick<BeaconFacts, 'genesisForkVersion'>> }
}) {
  async function find(validator: Validator, place: Place): Promise<ScannedPage<PlacedDeposit>> {
    for (;;) {
      const page = await store.page(validator, place)
      if (!('unlooked' in page)) return page
      const { genesisForkVersion } = await chain.facts()
      // Verification takes tens of milliseconds.
      await turn()
      await store.noteSigned(page.unlooked.index, isDepositSigned(page.unlooked, genesisForkVersion))
    }
  }

  /** Final blocks only, newest first. Throws NOT_FOUND for an unknown validator. */
  function list(id: ValidatorId, place: Place): Promise<PresentedPage<ValidatorDeposit>> {
    return pages.show(id, place, find, (times, { slot, index, amountGwei, withdrawalCredentials }) => ({
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
