import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { ProtocolContract } from '../protocols/adapter.ts'

/** Giving back is the reverse. `unstake`: an unpaid claim on a stake. */
export type Purpose = 'lend' | 'deposit' | 'stake' | 'unstake' | 'wrap' | 'liquidity' | 'borrow'

/** `id`: 0 if a wallet has at most one position there. */
export type PositionKey = { contract: EvmAddress; id: bigint }

type Amount = { token: EvmAddress; amountRaw: bigint }

/** Debts without a token. */
export type DebtStep =
  /** Without `token`: an underlying of the logging contract. */
  | { kind: 'borrow' | 'repay'; amountRaw: bigint; token?: EvmAddress; position?: PositionKey }
  | { kind: 'liquidate'; collateral: EvmAddress }

/** Positions without a token, and tokens without standard logs. */
export type PositionStep =
  /** From or to any payer, up to the amount. */
  | { kind: 'put' | 'take'; purpose: Purpose; position: PositionKey; token: EvmAddress; amountRaw: bigint }
  /** A `take` of the amount due settles it. */
  | { kind: 'request'; purpose: Purpose; position: PositionKey; receipt: Amount; due: Amount }
  | { kind: 'put-nft' | 'take-nft'; purpose: Purpose; manager: EvmAddress; tokenId: bigint }
  /** An NFT was exchanged for new or existing ones of its manager. */
  | {
      kind: 'reissue'
      purpose: Purpose
      manager: EvmAddress
      tokenId: bigint
      token: EvmAddress
      into: readonly { tokenId: bigint; amountRaw: bigint }[]
    }
  | { kind: 'claim'; token: EvmAddress; amountRaw: bigint }
  /** The whole position for its whole debt. `rest`: credited to the wallet. */
  | { kind: 'liquidated'; position: PositionKey; rest?: Amount }
  /** A part of the position for a part of its debt. */
  | {
      kind: 'seized'
      position: PositionKey
      taken: Amount
      relieved: Amount
    }
  /** A transfer logged as burn and mint. `other`: undefined if not logged. */
  | { kind: 'send' | 'receive'; token: EvmAddress; amountRaw: bigint; other: EvmAddress | undefined }

export type Step = DebtStep | PositionStep

/** Logs of the same receipt, of any contract. */
export type LogContext = {
  before: ReceiptLog | undefined
  after: ReceiptLog | undefined
  earlier(): readonly ReceiptLog[]
  later(): readonly ReceiptLog[]
  underlyings: readonly EvmAddress[]
  data: Readonly<Record<string, string>>
  underlyingsOf(protocolContract: EvmAddress): readonly EvmAddress[]
}

export type NftStep = {
  manager: EvmAddress
  tokenId: bigint
  /** Counterparties: the pool, the manager for native coin, a contract that keeps the NFT. */
  payers: readonly EvmAddress[]
  put: readonly TokenAmount[]
  principal: readonly TokenAmount[]
  fees: readonly TokenAmount[]
  /** Unlogged payments between wallet and payers, which may return a part of a deposit. */
  rest?: { as: 'put' | 'principal' | 'fees'; token?: EvmAddress }
  /** Liquidity was taken out, paid now or later. */
  reduced: boolean
  purpose?: Purpose
}

/** Pure functions over untrusted logs. */
export type ProtocolHistory = {
  /** By role. Other roles are ordinary tokens. */
  readonly purposes: Readonly<Record<string, Purpose>>
  /** By role, for native coin that is not an underlying. */
  readonly nativePurposes?: Readonly<Record<string, Purpose>>
  /** Key of contracts received for one deposit: they share its cost by worth and are returned together. */
  pairOf?(protocolContract: ProtocolContract): string | undefined
  readonly rebasing?: readonly string[]
  /** Roles whose transfers repeat steps. */
  readonly mirrors?: readonly string[]
  readonly contracts?: readonly EvmAddress[]
  /** The contract whose units the logging contract minted or burned, though transfers only change the owner. */
  makes?(log: ReceiptLog): EvmAddress | undefined
  /** The wallet's account at the protocol, without logs: transfers to it are deposits, from it withdrawals. */
  isGate?(address: EvmAddress): boolean
  readonly rewarders?: readonly EvmAddress[]
  /** Interest in the previous transfer of the logging contract. */
  accrued?(log: ReceiptLog, wallet: EvmAddress): bigint
  /** A wallet's possible own contract, for `recognise`. Anyone may log it. */
  leadsTo?(log: ReceiptLog): EvmAddress | undefined
  /** Called for logs of protocol contracts, `contracts` and `rewarders`. */
  step?(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | readonly Step[] | undefined
  /** For NFTs of any owner or of the wallet alone. `isOwn`: contracts of the deployment. */
  nftSteps?(
    logs: readonly ReceiptLog[],
    wallet: EvmAddress,
    isOwn: (address: EvmAddress) => boolean,
  ): readonly NftStep[]
  /** Keeps unstaked amounts and logs no payments, which come out of the wallet's position 0 there. */
  escrowOf?(protocolContract: ProtocolContract): EvmAddress | undefined
}

/** Position 0 at the logging contract. The pair: topics of putting in and of taking out. */
export function putOrTaken(
  { address, topics: [topic] }: ReceiptLog,
  [put, taken]: readonly [put: string, taken: string],
  amount: Amount & { purpose: Purpose },
): PositionStep | undefined {
  const position = { contract: address, id: 0n }
  if (topic === put) return { kind: 'put', position, ...amount }
  return topic === taken ? { kind: 'take', position, ...amount } : undefined
}
