import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer } from '../../../domain/transaction.ts'
import type { Hex } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'

/** The activity of some wallets in some blocks, as far as known. */
export type KnownActivity = {
  wallets: readonly EvmAddress[]
  /** By hash, with the value that each moved itself, without inner calls. */
  transactions: Map<Hex, ChainTransaction>
  /** The wallets that a transaction's logs name, by hash. */
  named: ReadonlyMap<Hex, ReadonlySet<EvmAddress>>
  /** What inner calls moved from or to a wallet, by hash. */
  inner: Map<EvmAddress, Map<Hex, readonly NativeTransfer[]>>
  /** What blocks paid to a wallet, in the form of transactions. */
  payments: Map<EvmAddress, ChainTransaction[]>
}

export function nothingKnown(
  wallets: readonly EvmAddress[],
  named: ReadonlyMap<Hex, ReadonlySet<EvmAddress>>,
): KnownActivity {
  return {
    wallets,
    transactions: new Map(),
    named,
    inner: new Map(wallets.map((wallet) => [wallet, new Map()])),
    payments: new Map(wallets.map((wallet) => [wallet, []])),
  }
}

/** Replaces what was known about the transaction's inner calls. */
export function noteInner({ inner }: KnownActivity, { wallet, hash, inner: moved }: NativeHit): void {
  inner.get(wallet)?.set(hash, moved)
}

/** Native coin that the transaction moved from or to the wallet. The inner calls of a failed one moved nothing. */
function transfersOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): NativeTransfer[] {
  const own = transaction.nativeTransfers.filter(({ from, to }) => from === wallet || to === wallet)
  return transaction.succeeded ? [...own, ...(known.inner.get(wallet)?.get(transaction.hash) ?? [])] : own
}

/** By how much the transaction changed the wallet's native balance, its fee included. */
export function effectOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): bigint {
  let effect = transaction.from === wallet ? -transaction.feeRaw : 0n
  for (const { from, to, amountRaw } of transfersOf(known, wallet, transaction)) {
    if (to === wallet) effect += amountRaw
    if (from === wallet) effect -= amountRaw
  }
  return effect
}

/** Whether a transaction concerns a wallet: a log names it, it sent it, or native coin moved from or to it. */
function isOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): boolean {
  return (
    transaction.from === wallet ||
    known.named.get(transaction.hash)?.has(wallet) === true ||
    transfersOf(known, wallet, transaction).length > 0
  )
}

/** Everything of each wallet, in order. */
export function activityOf(known: KnownActivity): Map<EvmAddress, ChainTransaction[]> {
  const inOrder = [...known.transactions.values()].sort(byPlace)
  return new Map(
    known.wallets.map((wallet) => {
      const own = inOrder.filter((transaction) => isOf(known, wallet, transaction))
      const told = own.map((one) => ({ ...one, nativeTransfers: transfersOf(known, wallet, one) }))
      const payments = known.payments.get(wallet) ?? []
      return [wallet, payments.length > 0 ? [...told, ...payments].sort(byPlace) : told]
    }),
  )
}

const byPlace = (a: ChainTransaction, b: ChainTransaction) =>
  a.block === b.block ? a.index - b.index : Number(a.block - b.block)
