import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer } from '../../../domain/transaction.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { Hex } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'

export type KnownActivity = {
  wallets: readonly EvmAddress[]
  /** Without inner calls. */
  transactions: Map<Hex, ChainTransaction>
  named: ReadonlyMap<Hex, ReadonlySet<EvmAddress>>
  inner: Map<EvmAddress, Map<Hex, readonly NativeTransfer[]>>
  /** Paid by blocks, in the form of transactions. */
  payments: Map<EvmAddress, ChainTransaction[]>
}

/** An endpoint's part of a search; adds to `known`. */
export type NativeSearch = { endpoint: RpcEndpoint; known: KnownActivity; range: BlockRange }

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

export function noteInner({ inner }: KnownActivity, { wallet, hash, inner: moved }: NativeHit): void {
  inner.get(wallet)?.set(hash, moved)
}

/** The inner calls of a failed transaction moved nothing. */
function transfersOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): NativeTransfer[] {
  const own = transaction.nativeTransfers.filter(({ from, to }) => from === wallet || to === wallet)
  return transaction.succeeded ? [...own, ...(known.inner.get(wallet)?.get(transaction.hash) ?? [])] : own
}

export function effectOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): bigint {
  let effect = transaction.from === wallet ? -transaction.feeRaw : 0n
  for (const { from, to, amountRaw } of transfersOf(known, wallet, transaction)) {
    if (to === wallet) effect += amountRaw
    if (from === wallet) effect -= amountRaw
  }
  return effect
}

function isOf(known: KnownActivity, wallet: EvmAddress, transaction: ChainTransaction): boolean {
  return (
    transaction.from === wallet ||
    known.named.get(transaction.hash)?.has(wallet) === true ||
    transfersOf(known, wallet, transaction).length > 0
  )
}

export function activityOf(known: KnownActivity): Map<EvmAddress, ChainTransaction[]> {
  const inOrder = [...known.transactions.values()].sort(byPlace)
  return new Map(
    known.wallets.map((wallet) => {
      const own = inOrder.filter((transaction) => isOf(known, wallet, transaction))
      const reported = own.map((one) => ({ ...one, nativeTransfers: transfersOf(known, wallet, one) }))
      const payments = known.payments.get(wallet) ?? []
      return [wallet, payments.length > 0 ? [...reported, ...payments].sort(byPlace) : reported]
    }),
  )
}

const byPlace = (a: ChainTransaction, b: ChainTransaction) =>
  a.block === b.block ? a.index - b.index : Number(a.block - b.block)
