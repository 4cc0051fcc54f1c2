import type { Address } from '../domain/address.ts'
import type { TokenAmount } from '../domain/position.ts'
import type { Token } from '../domain/token.ts'

/** What the caller knows of tokens on one chain at one block; receipt tokens are priced by what they stand for. */
export type ReceiptBook = {
  /**
   * The tokens behind a receipt token as far as they are known without a read, `[]` when only a read can tell, `undefined`
   * when the token is no receipt. Their pools are read in the same tick as the receipt itself.
   */
  underlyings(token: Address): readonly Address[] | undefined
  /**
   * What `amountRaw` of a receipt token stands for, in proportion; `undefined` when it is no receipt after all. A part with
   * a `backing` counts only as far as the whole read finds it paid.
   */
  decompose(token: Address, amountRaw: bigint): Promise<readonly TokenAmount[] | undefined>
  /** Metadata of a token that turns up behind a receipt. */
  token(address: Address): Token | undefined
}

export const NO_RECEIPTS: ReceiptBook = {
  underlyings: () => undefined,
  decompose: async () => undefined,
  token: () => undefined,
}
