import type { Address } from '../src/domain/address.ts'
import { NATIVE } from '../src/domain/evm-address.ts'
import type { Doubts } from '../src/features/history/cost/accounting-entries.ts'
import type { Part } from '../src/features/history/cost/accounting-store.ts'

/** With native movements unless `nativeFrom` differs. */
export function wholePart(wallet: Address, chain = 'ethereum', nativeFrom: bigint | null = null): Part {
  return {
    wallet,
    chain,
    native: NATIVE,
    nativeFrom,
    lostFrom: null,
    keptFrom: null,
    replacedFrom: null,
    version: String(nativeFrom ?? ''),
  }
}

/** For complete histories. */
export const NO_DOUBTS: Doubts = {
  hasGap: () => false,
  isNative: () => false,
  isDoubted: () => false,
  isFromElsewhere: () => false,
}
