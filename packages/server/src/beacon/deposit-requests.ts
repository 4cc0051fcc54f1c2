import type { BeaconRequest, StateId } from './beacon-request.ts'
import { parseAmount, parseFields, parseHex, parseInteger, parseList } from './beacon-values.ts'

/** A deposit that waits for its turn to reach a balance, since Electra. */
export type PendingDeposit = { pubkey: string; withdrawalCredentials: string; amountGwei: bigint; slot: number }

/** In their order. States before Electra have no such list, and nodes refuse. */
export function pendingDepositsRequest(state: StateId): BeaconRequest<PendingDeposit[]> {
  return {
    name: 'pending_deposits',
    path: `/eth/v1/beacon/states/${state}/pending_deposits`,
    parse: ({ data }) =>
      parseList(data, 'pending_deposits', (value, where) => {
        const fields = parseFields(value, where)
        return {
          pubkey: parseHex(fields['pubkey'], 'pubkey', 48),
          withdrawalCredentials: parseHex(fields['withdrawal_credentials'], 'withdrawal_credentials', 32),
          amountGwei: parseAmount(fields['amount'], 'amount'),
          slot: parseInteger(fields['slot'], 'slot'),
        }
      }),
  }
}
