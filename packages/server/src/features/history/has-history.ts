import { Failure } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'

/** Depends on the chain type. */
export type HasHistory = (wallet: Address) => boolean

export const NO_HISTORY = 'transactions of wallets of this type cannot be read'

export function refuseWithoutHistory(wallets: readonly Address[], hasHistory: HasHistory): void {
  const wallet = wallets.find((each) => !hasHistory(each))
  if (wallet !== undefined) throw new Failure('VALIDATION_ERROR', `addresses: ${NO_HISTORY}: ${wallet}`)
}
