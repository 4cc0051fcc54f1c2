import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'

/** What acquiring an instrument is called; giving it back is the reverse. */
export type Purpose = 'lend' | 'deposit' | 'stake' | 'wrap' | 'liquidity' | 'borrow'

/** What a log says of a debt that no token stands for. */
export type DebtStep =
  | { kind: 'borrow' | 'repay'; amountRaw: bigint }
  /** A liquidator repaid it in return for units of this instrument. */
  | { kind: 'liquidate'; collateral: EvmAddress }

/** What logs say of an NFT that stands for tokens put into a pool. */
export type NftStep = {
  manager: EvmAddress
  tokenId: bigint
  /** The counterparties of payments: the pool, and the manager for native coin. */
  payers: readonly EvmAddress[]
  put: readonly TokenAmount[]
  /** Paid out of what was put in. */
  principal: readonly TokenAmount[]
  /** Paid out beside it. */
  fees: readonly TokenAmount[]
  /** Liquidity was taken out, whether or not it was paid out in the same transaction. */
  reduced: boolean
}

/** How transactions with a family's contracts are interpreted. Pure functions over untrusted logs. */
export type FamilyHistory = {
  /** By role of an instrument. Instruments of other roles are tokens like any other. */
  readonly purposes: Readonly<Record<string, Purpose>>
  /** By role: the purpose of acquiring it for the native coin, if that is none of its underlyings. */
  readonly nativePurposes?: Readonly<Record<string, Purpose>>
  /** Roles whose balances grow without a transfer. */
  readonly rebasing?: readonly string[]
  /** Contracts beside the instruments that wallets call. */
  readonly contracts?: readonly EvmAddress[]
  /** Contracts that pay rewards, or let them be paid. */
  readonly rewarders?: readonly EvmAddress[]
  /** The wallet's interest that the instrument's previous transfer includes, from a log of the instrument. */
  accrued?(log: ReceiptLog, wallet: EvmAddress): bigint
  /** Of a log of an instrument. */
  debtStep?(log: ReceiptLog, wallet: EvmAddress): DebtStep | undefined
  /** From all logs of a transaction, for NFTs of any owner. */
  nftSteps?(logs: readonly ReceiptLog[]): readonly NftStep[]
}
