import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { ProtocolContract } from '../protocols/adapter.ts'

/**
 * What acquiring a protocol contract is called; giving it back is the reverse. `unstake`: what stands for a stake that was given
 * back and is not paid out yet.
 */
export type Purpose = 'lend' | 'deposit' | 'stake' | 'unstake' | 'wrap' | 'liquidity' | 'borrow'

/** A position that no token stands for: the contract that keeps it, and its number there; 0 if a wallet has at most one. */
export type PositionKey = { contract: EvmAddress; id: bigint }

type Amount = { token: EvmAddress; amountRaw: bigint }

/** What a log says of a debt that no token stands for. */
export type DebtStep =
  /** Of `token`; without it, of an underlying of the protocol contract that logged. */
  | { kind: 'borrow' | 'repay'; amountRaw: bigint; token?: EvmAddress; position?: PositionKey }
  /** A liquidator repaid it in return for units of this protocol contract. */
  | { kind: 'liquidate'; collateral: EvmAddress }

/** What a log says that a wallet did with a position that no token stands for, or with a token that its contract hides. */
export type PositionStep =
  /** Into a position or out of it: the wallet's transfers of the token from or to any payer, up to the amount. */
  | { kind: 'put' | 'take'; purpose: Purpose; position: PositionKey; token: EvmAddress; amountRaw: bigint }
  /** A receipt was given back for an amount that waits in the position; a `take` of the amount settles it. */
  | { kind: 'request'; purpose: Purpose; position: PositionKey; receipt: Amount; due: Amount }
  /** An NFT into a contract or out of it. */
  | { kind: 'put-nft' | 'take-nft'; purpose: Purpose; manager: EvmAddress; tokenId: bigint }
  /** An NFT was given up for others of its manager, new ones or one that was there, and what it stood for went into them. */
  | {
      kind: 'reissue'
      purpose: Purpose
      manager: EvmAddress
      tokenId: bigint
      token: EvmAddress
      into: readonly { tokenId: bigint; amountRaw: bigint }[]
    }
  /** Rewards were paid to the wallet. */
  | { kind: 'claim'; token: EvmAddress; amountRaw: bigint }
  /** All of the position was taken for all that was owed there; `rest` was credited to the wallet. */
  | { kind: 'liquidated'; position: PositionKey; rest?: Amount }
  /** A part of what lies in the position was taken, by a liquidator, for a part of what is owed there. */
  | {
      kind: 'seized'
      position: PositionKey
      taken: Amount
      relieved: Amount
    }
  /** Units passed to or from another wallet, which their contract logs as burnt and minted; `other`: undefined if not logged. */
  | { kind: 'send' | 'receive'; token: EvmAddress; amountRaw: bigint; other: EvmAddress | undefined }

/** What a log of a contract of the family says that a wallet did and that its transfers do not show. */
export type Step = DebtStep | PositionStep

/** The logs around a log in its receipt, of any contract, and what is known of the protocol contract that logged it. */
export type LogContext = {
  before: ReceiptLog | undefined
  after: ReceiptLog | undefined
  /** All that came before, in order, and all that follow. */
  earlier(): readonly ReceiptLog[]
  later(): readonly ReceiptLog[]
  underlyings: readonly EvmAddress[]
  data: Readonly<Record<string, string>>
  /** Of another protocol contract of the chain. */
  underlyingsOf(protocolContract: EvmAddress): readonly EvmAddress[]
}

/** What logs say of an NFT that stands for tokens put into a pool. */
export type NftStep = {
  manager: EvmAddress
  tokenId: bigint
  /** The counterparties of payments: the pool, the manager for native coin, a contract that keeps the NFT. */
  payers: readonly EvmAddress[]
  put: readonly TokenAmount[]
  /** Paid out of what was put in. */
  principal: readonly TokenAmount[]
  /** Paid out beside it. */
  fees: readonly TokenAmount[]
  /**
   * Where logs do not say the amounts: what all other payments between the wallet and the payers are, or those of one
   * token. Of what was put in, the payers may give back a part.
   */
  rest?: { as: 'put' | 'principal' | 'fees'; token?: EvmAddress }
  /** Liquidity was taken out, whether or not it was paid out in the same transaction. */
  reduced: boolean
  /** Of getting the NFT for what was put in; if absent, liquidity. */
  purpose?: Purpose
}

/** How transactions with a family's contracts are interpreted. Pure functions over untrusted logs. */
export type ProtocolHistory = {
  /** By role of a protocol contract. Protocol contracts of other roles are tokens like any other. */
  readonly purposes: Readonly<Record<string, Purpose>>
  /** By role: the purpose of acquiring it for the native coin, if that is none of its underlyings. */
  readonly nativePurposes?: Readonly<Record<string, Purpose>>
  /** Names protocol contracts that are got together for one thing, which is shared by their worth, and given back together. */
  pairOf?(protocolContract: ProtocolContract): string | undefined
  /** Roles whose balances grow without a transfer. */
  readonly rebasing?: readonly string[]
  /** Roles whose transfers repeat what steps say: no movements. */
  readonly mirrors?: readonly string[]
  /** Contracts beside the protocol contracts that wallets call. */
  readonly contracts?: readonly EvmAddress[]
  /** The protocol contract whose units a contract made or ended, by its log, though its transfers only show them changing hands. */
  makes?(log: ReceiptLog): EvmAddress | undefined
  /**
   * Whether the wallet's own account at the protocol lies behind the address, and logs nothing: what is sent there goes into
   * it, and what comes from there was in it.
   */
  isGate?(address: EvmAddress): boolean
  /** Contracts that pay rewards, or let them be paid. */
  readonly rewarders?: readonly EvmAddress[]
  /** The wallet's interest that the protocol contract's previous transfer includes, from a log of the protocol contract. */
  accrued?(log: ReceiptLog, wallet: EvmAddress): bigint
  /**
   * A contract that a log names, or that logs it, which may be one of the protocol's that wallets have for themselves. It is
   * offered to `recognise` before the transaction is read. Anyone may log it.
   */
  leadsTo?(log: ReceiptLog): EvmAddress | undefined
  /** Of a log of a protocol contract, or of one of the contracts and rewarders. */
  step?(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | readonly Step[] | undefined
  /**
   * From all logs of a transaction, for NFTs of any owner, or of the wallet alone. `isOwn`: whether an address is one of
   * the deployment, or of its protocol contracts.
   */
  nftSteps?(
    logs: readonly ReceiptLog[],
    wallet: EvmAddress,
    isOwn: (address: EvmAddress) => boolean,
  ): readonly NftStep[]
  /**
   * The contract that keeps what was given back at the protocol contract until its time, and logs nothing when it pays: what it
   * pays to a wallet comes out of the wallet's position of that contract, number 0.
   */
  escrowOf?(protocolContract: ProtocolContract): EvmAddress | undefined
}
