import type { Address } from '@solana/kit'
import type { LandedTransaction } from './landed-transaction.ts'

export const createTransactionLog = () => {
  const bySignature = new Map<string, LandedTransaction>()
  const byAddress = new Map<Address, LandedTransaction[]>()

  return {
    add: (landed: LandedTransaction): void => {
      bySignature.set(landed.signature, landed)
      for (const key of landed.keys) {
        const known = byAddress.get(key)
        if (known) known.push(landed)
        else byAddress.set(key, [landed])
      }
    },
    get: (signature: string): LandedTransaction | undefined => bySignature.get(signature),
    /** Oldest first. */
    of: (address: Address): readonly LandedTransaction[] => byAddress.get(address) ?? [],
    count: (): number => bySignature.size,
  }
}
