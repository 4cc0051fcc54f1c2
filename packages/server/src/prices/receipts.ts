import type { Address } from '../domain/address.ts'
import type { TokenAmount } from '../domain/position.ts'
import type { Token } from '../domain/token.ts'

export type ReceiptDirectory = {
  /** `[]`: only a read can tell. `undefined`: no receipt. */
  underlyings(token: Address): readonly Address[] | undefined
  /** A `backing` counts only as far as the whole read finds it paid. */
  decompose(token: Address, amountRaw: bigint): Promise<readonly TokenAmount[] | undefined>
  token(address: Address): Token | undefined
}

export const NO_RECEIPTS: ReceiptDirectory = {
  underlyings: () => undefined,
  decompose: async () => undefined,
  token: () => undefined,
}
