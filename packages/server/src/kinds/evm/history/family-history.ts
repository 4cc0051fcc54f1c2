import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'

/** What getting an instrument is called; giving it back is the reverse. */
export type Purpose = 'lend' | 'deposit' | 'stake' | 'wrap' | 'liquidity' | 'borrow'

/** What a log says of a debt that no token stands for. */
export type DebtStep =
  | { kind: 'borrow' | 'repay'; amountRaw: bigint }
  /** Somebody else repaid it, for units of this instrument. */
  | { kind: 'liquidate'; collateral: EvmAddress }

/** What logs say of an NFT that stands for tokens put into a pool. */
export type NftStep = {
  manager: EvmAddress
  tokenId: bigint
  /** Who pays in and out: the pool, and the manager for native coin. */
  payers: readonly EvmAddress[]
  put: readonly TokenAmount[]
  /** Paid out of what was put in. */
  principal: readonly TokenAmount[]
  /** Paid out beside it. */
  fees: readonly TokenAmount[]
  /** Liquidity was taken out, whether or not it was paid out in the same transaction. */
  reduced: boolean
}

/** How transactions with a family's contracts are understood. Pure; logs may be written by anybody and say anything. */
export type FamilyHistory = {
  /** By role of an instrument. Instruments of other roles are tokens like any other. */
  readonly purposes: Readonly<Record<string, Purpose>>
  /** By role: what getting it for the native coin is, where that is none of its underlyings. */
  readonly nativePurposes?: Readonly<Record<string, Purpose>>
  /** Roles whose balances grow without a transfer. */
  readonly rebasing?: readonly string[]
  /** Contracts beside the instruments that wallets call. */
  readonly contracts?: readonly EvmAddress[]
  /** Contracts that pay rewards, or let them be paid. */
  readonly rewarders?: readonly EvmAddress[]
  /** Of a log of an instrument: the wallet's interest that the instrument's transfer before it includes. */
  accrued?(log: ReceiptLog, wallet: EvmAddress): bigint
  /** Of a log of an instrument. */
  debtStep?(log: ReceiptLog, wallet: EvmAddress): DebtStep | undefined
  /** Of all logs of a transaction, whosever the NFTs are. */
  nftSteps?(logs: readonly ReceiptLog[]): readonly NftStep[]
}
