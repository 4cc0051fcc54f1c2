import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer } from '../../../domain/transaction.ts'
import type { Hex } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'

/** What is known of some wallets in some blocks so far. */
export type KnownActivity = {
  wallets: readonly EvmAddress[]
  /** By hash, with what each moved by itself: its value. */
  transactions: Map<Hex, ChainTransaction>
  /** Whose a transaction is by its logs. */
  named: ReadonlyMap<Hex, ReadonlySet<EvmAddress>>
  /** What calls inside of transactions moved from or to a wallet. */
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

/** Takes the place of what was known of the transaction's inside before. */
export function noteInner({ inner }: KnownActivity, { wallet, hash, inner: moved }: NativeHit): void {
  inner.get(wallet)?.set(hash, moved)
}

/** Native coin that the transaction moved from or to the wallet. What failed moved nothing from inside. */
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

/** A transaction is a wallet's where a log names it, where it sent it, and where native coin moved from or to it. */
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
