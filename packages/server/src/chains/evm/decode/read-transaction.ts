import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type {
  ChainTransaction,
  Movement,
  ProtocolBasis,
  TransactionType,
  WalletTransaction,
} from '../../../domain/transaction.ts'
import { createRemainder, isGiven, isReceived, legOf, movementsOf } from '../../legs.ts'
import type { HistoryBook } from './book.ts'
import { changesOf, type Leg, type Part, type Remainder } from './changes.ts'
import { debtLegs } from './debt-legs.ts'
import { plainLegs } from './naming-rules.ts'
import { nftLegs } from './nft-legs.ts'
import { positionLegs } from './position-legs.ts'
import { purposeLegs } from './purpose-legs.ts'
import { type Scene, sceneOf, stepsIn } from './scene.ts'
import { tokenFeeOf } from './token-fee.ts'
import { typeOf } from './transaction-type.ts'
import { type OperationFee, operationLegs } from './user-operations.ts'

export type ContractOrigin = { protocol: string; basis: ProtocolBasis }

type OriginOf = (contract: EvmAddress) => ContractOrigin | undefined

/**
 * In order, gas last. They sum to each token's balance change, for rebasing tokens without settled interest. Never
 * throws: logs are untrusted. `originOf` affects only the protocol.
 */
export function readTransaction(
  tx: ChainTransaction,
  wallet: EvmAddress,
  book: HistoryBook,
  originOf: OriginOf = () => undefined,
): WalletTransaction {
  const { logs, nativeTransfers: _, calls: __, feeInToken, ...facts } = tx
  const tokenFee = feeInToken && tx.from === wallet ? tokenFeeOf(tx) : undefined
  const scene = sceneOf({ ...tx, logs: tokenFee?.logs ?? logs }, wallet, book)
  const { legs, fees: operationFees } = tx.succeeded ? legsOf(scene) : { legs: [], fees: [] }
  const { type, protocol } = typeOf(scene, legs)
  const fees = [
    ...(tx.from === wallet ? [{ token: NATIVE, amountRaw: tx.feeRaw, counterparty: null }] : []),
    ...(tokenFee ? [{ ...tokenFee, counterparty: null }] : []),
    ...operationFees.map(({ entryPoint, costRaw }) => ({
      token: NATIVE,
      amountRaw: costRaw,
      counterparty: entryPoint,
    })),
  ].filter(({ amountRaw }) => amountRaw > 0n)
  const paid = fees.map((fee, i) => feeMovement(fee, legs.length + i))
  const origin = protocol === null ? originIn(scene, type, originOf) : undefined
  const movements = [...movementsOf(legs), ...paid]
  return origin
    ? { ...facts, type, protocol: origin.protocol, protocolBasis: origin.basis, movements }
    : { ...facts, type, protocol, movements }
}

/** Sending or approving a token is no action at its protocol. */
const PLAIN: ReadonlySet<TransactionType> = new Set(['APPROVAL', 'FAILED', 'SPAM', 'TRANSFERIN', 'TRANSFEROUT'])

function originIn({ calls }: Scene, type: TransactionType, originOf: OriginOf): ContractOrigin | undefined {
  if (PLAIN.has(type)) return undefined
  return calls.map(({ to }) => originOf(to)).find((origin) => origin !== undefined)
}

function legsOf(scene: Scene): { legs: Leg[]; fees: OperationFee[] } {
  const rest = createRemainder(changesOf(scene.tx, scene.wallet, scene.book))
  const steps = stepsIn(scene)
  const operations = operationLegs(scene, rest)
  const known = [
    ...nftLegs(scene, rest),
    ...positionLegs(scene, rest, steps),
    ...debtLegs(scene, rest, steps),
    ...purposeLegs(scene, rest),
    ...gateLegs(scene, rest),
  ]
  return { legs: [...operations.legs, ...known, ...plainLegs(scene, rest, known)], fees: operations.fees }
}

function feeMovement(fee: Pick<Movement, 'token' | 'amountRaw' | 'counterparty'>, leg: number): Movement {
  const { token, amountRaw, counterparty } = fee
  return { token, tokenId: null, amountRaw: -amountRaw, counterparty, debt: false, leg, treatment: 'fee' }
}

/** Transfers between the wallet and its accounts without logs. Excludes unlisted tokens, which may log any transfer. */
function gateLegs({ book }: Scene, rest: Remainder): Leg[] {
  const gateOf = ({ token, counterparty }: Part) =>
    token === NATIVE || book.isListed(token) ? book.gateOf(counterparty) : undefined
  const legsOf = (type: 'DEPOSIT' | 'WITHDRAW', isWay: (part: Part) => boolean) => {
    const passing = rest.take((part) => isWay(part) && gateOf(part) !== undefined)
    return [...Map.groupBy(passing, gateOf)].map(([protocol = null, parts]) => legOf(type, 'move', protocol, parts))
  }
  return [...legsOf('DEPOSIT', isGiven), ...legsOf('WITHDRAW', isReceived)]
}
