import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type {
  ChainTransaction,
  Movement,
  ProtocolBasis,
  ReceiptLog,
  TransactionType,
  WalletTransaction,
} from '../../../domain/transaction.ts'
import { createRemainder, isGiven, isReceived, legOf, movementsOf } from '../../legs.ts'
import { changesOf, type Leg, type Part, type Remainder, type TokenTransfer, transfersOf } from './changes.ts'
import type { ContractDirectory } from './contract-directory.ts'
import { addressTopic, topicOf, word } from './log-words.ts'
import { plainLegs } from './naming-rules.ts'
import { nftLegs } from './nft-legs.ts'
import { debtLegs, positionLegs } from './position-legs.ts'
import { purposeLegs } from './purpose-legs.ts'
import { type Scene, sceneOf, stepsIn } from './scene.ts'
import { type Fee, isEntryPoint, operationLegs } from './user-operations.ts'

export type ContractOrigin = { protocol: string; basis: ProtocolBasis }

/** In order, gas last. Movements sum to each token's balance change, rebasing aside. Never throws: logs are untrusted. */
export function readTransaction(
  tx: ChainTransaction,
  wallet: EvmAddress,
  directory: ContractDirectory,
  originOf: (contract: EvmAddress) => ContractOrigin | undefined = () => undefined,
): WalletTransaction {
  const { logs, nativeTransfers: _, calls: __, feeInToken, ...facts } = tx
  const tokenFee = feeInToken && tx.from === wallet ? tokenFeeOf(tx) : undefined
  const scene = sceneOf({ ...tx, logs: tokenFee?.logs ?? logs }, wallet, directory)
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
  const rest = createRemainder(changesOf(scene))
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
function gateLegs({ directory }: Scene, rest: Remainder): Leg[] {
  const gateOf = ({ token, counterparty }: Part) =>
    token === NATIVE || directory.isListed(token) ? directory.gateOf(counterparty) : undefined
  const legsOf = (type: 'DEPOSIT' | 'WITHDRAW', isWay: (part: Part) => boolean) => {
    const passing = rest.take((part) => isWay(part) && gateOf(part) !== undefined)
    return [...Map.groupBy(passing, gateOf)].map(([protocol = null, parts]) => legOf(type, 'move', protocol, parts))
  }
  return [...legsOf('DEPOSIT', isGiven), ...legsOf('WITHDRAW', isReceived)]
}

/**
 * Returns the logs without those of the fee. Celo's fee currencies (CIP-64): the first log debits the maximum. The last ones credit the refund, or everything
 * before they pay recipients. Sources: op-geth of Celo (`fee_currencies.go`), Mento's StableTokenV2 and V3, Circle's
 * FiatTokenCeloV2_2.
 */
function tokenFeeOf({ from, logs }: ChainTransaction) {
  const [first] = logs
  const [debit] = first ? transfersOf(first) : []
  if (!debit || debit.from !== from || debit.to !== NATIVE) return undefined
  const isOfToken = (log: ReceiptLog) => log.address === debit.token
  const isCredit = (one: TokenTransfer) => one.from === NATIVE && one.to === from
  const start = logs.findLastIndex((log) => isOfToken(log) && transfersOf(log).some(isCredit))
  const credits = start < 0 ? [] : logs.slice(start)
  if (!credits.every(isOfToken)) return undefined
  const amountRaw = credits.flatMap(transfersOf).reduce((left, one) => {
    if (isCredit(one)) return left - one.amountRaw
    return one.from === from ? left + one.amountRaw : left
  }, debit.amountRaw)
  return { token: debit.token, amountRaw, logs: logs.slice(1, start < 0 ? undefined : start) }
}

const APPROVAL = topicOf('Approval(address,address,uint256)')
const APPROVAL_FOR_ALL = topicOf('ApprovalForAll(address,address,bool)')

const BY_PRODUCTS: readonly TransactionType[] = ['COLLECT', 'CLAIM', 'AIRDROP', 'EXPENSE', 'SPAM']

function typeOf(scene: Scene, legs: readonly Leg[]): { type: TransactionType; protocol: string | null } {
  if (!scene.tx.succeeded) return { type: 'FAILED', protocol: null }
  // Gas of an account in a transaction sent by others is no action.
  if (legs.every((leg) => isGas(scene, leg))) {
    const isFailed = scene.operations.length > 0 && scene.operations.every(({ succeeded }) => !succeeded)
    const still = STILL_RULES.find(({ when }) => when(scene))?.type(scene) ?? 'INTERACTION'
    return { type: isFailed ? 'FAILED' : still, protocol: calledProtocol(scene, legs) }
  }
  const [type] = mainTypes(legs)
  const several = new Set(mainTypes(legs)).size > 1
  const owner = legs.find((leg) => leg.type === type && leg.protocol !== null)
  const anyOwner = owner ?? legs.find(({ protocol }) => protocol !== null)
  return {
    type: several ? 'MULTITYPE' : (type ?? 'UNDEFINED'),
    protocol: anyOwner?.protocol ?? calledProtocol(scene, legs),
  }
}

const isGas = ({ operations }: Scene, { parts }: Leg) =>
  operations.length > 0 && parts.every(({ counterparty }) => isEntryPoint(counterparty))

/** Excludes a moved token's contract. */
function calledProtocol({ calls, directory }: Scene, legs: readonly Leg[]): string | null {
  const moved = new Set(legs.flatMap(({ parts }) => parts.map(({ token }) => token)))
  const called = calls.filter(({ to }) => !moved.has(to))
  return called.map(({ to }) => directory.protocolOf(to)).find((key) => key !== undefined) ?? null
}

function mainTypes(legs: readonly Leg[]): TransactionType[] {
  const types = legs.map(({ type }) => type)
  const main = types.filter((type) => !BY_PRODUCTS.includes(type))
  return main.length > 0 ? main : BY_PRODUCTS.filter((type) => types.includes(type)).slice(0, 1)
}

export const STILL_RULES: readonly {
  name: string
  when(scene: Scene): boolean
  type(scene: Scene): TransactionType | undefined
}[] = [
  { name: 'approval', when: isApproved, type: () => 'APPROVAL' },
  { name: 'address poisoning', when: isPoison, type: () => 'SPAM' },
  { name: 'named act', when: ({ named }) => named.still !== undefined, type: ({ named }) => named.still },
  {
    name: 'call of itself',
    when: ({ tx, wallet }) => tx.from === wallet && tx.to === wallet,
    type: () => 'SELFTRANSFER',
  },
]

/** Many tokens log the remaining allowance with every transfer by a spender. */
function isApproved(scene: Scene): boolean {
  const { tx, wallet } = scene
  const approvals = tx.logs.filter((log) => isApproval(log.topics[0]) && addressTopic(log, 1) === wallet)
  return approvals.some((log) => word(log, 0) !== 0n) || (approvals.length > 0 && !isPoison(scene))
}

const isApproval = (topic: string | undefined) => topic === APPROVAL || topic === APPROVAL_FOR_ALL

/** A third party's zero transfer suggests a similar address as a known one. */
function isPoison({ tx, wallet, sent }: Scene): boolean {
  if (sent) return false
  return tx.logs
    .flatMap(transfersOf)
    .some(({ amountRaw, from, to }) => amountRaw === 0n && (from === wallet || to === wallet))
}
