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
import { type Fee, operationLegs } from './user-operations.ts'

export type ContractOrigin = { protocol: string; basis: ProtocolBasis }

/** In order, gas last. Movements sum to each token's balance change, rebasing aside. Never throws: logs are untrusted. */
export function readTransaction(
  tx: ChainTransaction,
  wallet: EvmAddress,
  book: HistoryBook,
  originOf: (contract: EvmAddress) => ContractOrigin | undefined = () => undefined,
): WalletTransaction {
  const { logs, nativeTransfers: _, calls: __, feeInToken, ...facts } = tx
  const tokenFee = feeInToken && tx.from === wallet ? tokenFeeOf(tx) : undefined
  const scene = sceneOf({ ...tx, logs: tokenFee?.logs ?? logs }, wallet, book)
  const { legs, fees: operationFees } = tx.succeeded ? legsOf(scene) : { legs: [], fees: [] }
  const { type, protocol } = typeOf(scene, legs)
  const fees: Fee[] = [
    ...(tx.from === wallet ? [{ token: NATIVE, amountRaw: tx.feeRaw, counterparty: null }] : []),
    ...(tokenFee ? [{ token: tokenFee.token, amountRaw: tokenFee.amountRaw, counterparty: null }] : []),
    ...operationFees,
  ].filter(({ amountRaw }) => amountRaw > 0n)
  const paid = fees.map(({ amountRaw, ...fee }, i): Movement => {
    return { ...fee, tokenId: null, amountRaw: -amountRaw, debt: false, leg: legs.length + i, treatment: 'fee' }
  })
  const origins = protocol === null && !PLAIN.has(type) ? scene.calls.map(({ to }) => originOf(to)) : []
  const origin = origins.find((known) => known !== undefined)
  const movements = [...movementsOf(legs), ...paid]
  return origin
    ? { ...facts, type, protocol: origin.protocol, protocolBasis: origin.basis, movements }
    : { ...facts, type, protocol, movements }
}

/** Sending or approving a token is no action at its protocol. */
const PLAIN: ReadonlySet<TransactionType> = new Set(['APPROVAL', 'FAILED', 'SPAM', 'TRANSFERIN', 'TRANSFEROUT'])

function legsOf(scene: Scene): { legs: Leg[]; fees: Fee[] } {
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

/** Accounts without logs. Excludes unlisted tokens, which may log any transfer. */
function gateLegs({ book }: Scene, rest: Remainder): Leg[] {
  const gateOf = ({ token, counterparty }: Part) =>
    token === NATIVE || book.isListed(token) ? book.gateOf(counterparty) : undefined
  const legsOf = (type: 'DEPOSIT' | 'WITHDRAW', isWay: (part: Part) => boolean) => {
    const passing = rest.take((part) => isWay(part) && gateOf(part) !== undefined)
    return [...Map.groupBy(passing, gateOf)].map(([protocol = null, parts]) => legOf(type, 'move', protocol, parts))
  }
  return [...legsOf('DEPOSIT', isGiven), ...legsOf('WITHDRAW', isReceived)]
}
