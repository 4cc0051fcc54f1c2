import type { TransactionType } from '../../../domain/transaction.ts'
import { type Leg, transfersOf } from './changes.ts'
import { addressTopic, topicOf, word } from './log-words.ts'
import type { Scene } from './scene.ts'
import { isEntryPoint } from './user-operations.ts'

const APPROVAL = topicOf('Approval(address,address,uint256)')
const APPROVAL_FOR_ALL = topicOf('ApprovalForAll(address,address,bool)')

const BY_PRODUCTS: readonly TransactionType[] = ['COLLECT', 'CLAIM', 'AIRDROP', 'EXPENSE', 'SPAM']

export function typeOf(scene: Scene, legs: readonly Leg[]): { type: TransactionType; protocol: string | null } {
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
function calledProtocol({ calls, book }: Scene, legs: readonly Leg[]): string | null {
  const moved = new Set(legs.flatMap(({ parts }) => parts.map(({ token }) => token)))
  const called = calls.filter(({ to }) => !moved.has(to))
  return called.map(({ to }) => book.protocolOf(to)).find((key) => key !== undefined) ?? null
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
