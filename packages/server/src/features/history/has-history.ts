import { Failure } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'

/** Whether what happened to a wallet can be read: not every kind of chain can. */
export type HasHistory = (wallet: Address) => boolean

/** Why nothing is listed of wallets of such a kind. */
export const NO_HISTORY = 'the transactions of wallets of this kind cannot be read'

/** VALIDATION_ERROR for wallets of a kind without histories. */
export function refuseWithoutHistory(wallets: readonly Address[], hasHistory: HasHistory): void {
  const wallet = wallets.find((each) => !hasHistory(each))
  if (wallet !== undefined) throw new Failure('VALIDATION_ERROR', `addresses: ${NO_HISTORY}: ${wallet}`)
}
