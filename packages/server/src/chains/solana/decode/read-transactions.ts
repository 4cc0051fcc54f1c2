import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { Movement, TransactionType, WalletTransaction } from '../../../domain/transaction.ts'
import { createRemainder, type Leg, movementsOf } from '../../legs.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import { changesOf, type Deposit, depositsOf, type SolanaChange } from './changes.ts'
import { lendLegs } from './lend-legs.ts'
import {
  calledProgram,
  type ProgramDirectory,
  plainLegs,
  type SolanaScene,
  stakeLegs,
  wrapLegs,
} from './naming-rules.ts'

const SETTINGS: readonly SolanaAddress[] = [
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]

/** Name a transaction only if nothing else happened. The first match counts. */
const BY_PRODUCTS: readonly TransactionType[] = ['CLAIM', 'EXPENSE', 'SPAM']

/** Movements sum to the balance changes, fee last. Pass transactions of one slot together. Never throws. */
export function readSolanaTransactions(
  transactions: readonly SolanaTransaction[],
  wallet: SolanaAddress,
  directory: ProgramDirectory,
): WalletTransaction[] {
  const ofSlot = Map.groupBy(transactions, ({ slot }) => slot)
  return transactions.map((tx) => {
    const scene = { tx, wallet, directory, sent: tx.signers.includes(wallet) }
    return readOne(scene, placeIn(ofSlot.get(tx.slot) ?? [], tx))
  })
}

/** Node indices count only if the whole slot has them. */
function placeIn(inSlot: readonly SolanaTransaction[], tx: SolanaTransaction): number {
  const isReported = inSlot.every(({ index }) => index !== null)
  return isReported && tx.index !== null ? tx.index : inSlot.indexOf(tx)
}

function readOne(scene: SolanaScene, index: number): WalletTransaction {
  const { tx, wallet } = scene
  const deposits = depositsOf(tx, wallet)
  const legs = tx.succeeded ? legsOf(scene, deposits) : []
  // A deposit keeps its cost until the account is closed.
  const deposited = (tx.succeeded ? deposits : []).map(({ account, amountRaw }, i): Movement => {
    const leg = legs.length + i
    return { token: NATIVE_SOL, tokenId: null, amountRaw, counterparty: account, debt: false, leg, treatment: 'move' }
  })
  return {
    hash: tx.signature,
    block: tx.slot,
    // Final slots are not replaced.
    blockHash: '',
    index,
    time: tx.time,
    from: tx.signers[0],
    to: tx.instructions.find(({ program, depth }) => depth === 0 && !SETTINGS.includes(program))?.program ?? null,
    selector: '0x',
    succeeded: tx.succeeded,
    feeRaw: tx.feeRaw,
    ...nameOf(scene, legs),
    movements: [...movementsOf(legs), ...deposited, ...feeOf(scene, legs.length + deposited.length)],
  }
}

function legsOf(scene: SolanaScene, deposits: readonly Deposit[]): Leg<SolanaChange>[] {
  const rest = createRemainder(changesOf(scene.tx, scene.wallet, deposits))
  const staked = stakeLegs(scene.tx, scene.wallet, rest)
  const lent = lendLegs(scene.tx, scene.wallet, rest)
  const wrapped = wrapLegs(rest)
  const done = [...staked, ...lent, ...wrapped]
  return [...done, ...plainLegs(scene, rest, done)]
}

function feeOf({ tx, wallet }: SolanaScene, leg: number): Movement[] {
  if (tx.signers[0] !== wallet || tx.feeRaw === 0n) return []
  const amountRaw = -tx.feeRaw
  return [{ token: NATIVE_SOL, tokenId: null, amountRaw, counterparty: null, debt: false, leg, treatment: 'fee' }]
}

type Named = { type: TransactionType; protocol: string | null }

function nameOf(scene: SolanaScene, legs: readonly Leg<SolanaChange>[]): Named {
  if (!scene.tx.succeeded) return { type: 'FAILED', protocol: null }
  const called = (scene.sent && calledProgram(scene)?.protocol) || null
  const types = [...new Set(legs.map(({ type }) => type))]
  const main = types.filter((type) => !BY_PRODUCTS.includes(type))
  const [named = 'INTERACTION'] = main.length > 0 ? main : BY_PRODUCTS.filter((type) => types.includes(type))
  const owner = legs.find(({ protocol }) => protocol !== null)?.protocol ?? null
  return { type: main.length > 1 ? 'MULTITYPE' : named, protocol: owner ?? (legs.length === 0 ? called : null) }
}
