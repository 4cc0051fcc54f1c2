import type { Transaction, TransactionAsset } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal, decimalOrNull, formatDecimal, fromRaw, roundPrice, ZERO } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import type { TransactionType } from '../../domain/transaction.ts'
import type { ListedMovement, ListedTransaction, TransactionStore } from './transaction-store.ts'

/** What accounting says of a transaction; null: not known. By the places of its movements. */
export type TransactionBasis = {
  closedPnl: Decimal | null
  movements: ReadonlyMap<number, { costBasis: Decimal | null; closedPnl: Decimal | null }>
}

export type ShownTransaction = {
  row: ListedTransaction
  movements: readonly ListedMovement[]
  chain: Chain
  find(token: Address): Token | undefined
  functionName: string | null
  protocol: { key: string; name: string } | null
  /** Undefined while the wallet's history is not whole. */
  basis: TransactionBasis | undefined
}

const UNKNOWN = 'N/A'

const orUnknown = (value: Decimal | null | undefined) => (value ? formatDecimal(roundPrice(value)) : UNKNOWN)

export function presentTransaction(shown: ShownTransaction): Transaction {
  const { row, chain } = shown
  const moved = shown.movements.filter(({ treatment, amount }) => treatment !== 'fee' && amount !== '0')
  const isSender = row.sender === row.wallet
  const feeRaw = isSender ? row.fee : '0'
  const native = moved.filter(({ token }) => token === chain.native.address).map(({ amount }) => BigInt(amount))
  const nativeRaw = native.reduce((total, amount) => total + amount, 0n)
  return {
    address: row.wallet,
    hash: row.hash,
    chain: { key: chain.key, name: chain.name },
    timestamp: String(row.block_time.getTime() / 1000),
    blockNumber: row.block.toString(),
    from: row.sender,
    to: row.recipient ?? '',
    type: row.type as TransactionType,
    functionName: shown.functionName ?? '',
    value: formatDecimal(fromRaw(nativeRaw < 0n ? -nativeRaw : nativeRaw, chain.native.decimals)),
    valueFiat: formatDecimal(decimal(row.value_usd ?? '0')),
    fees: feeRaw,
    feesFiat: feeRaw === '0' ? '0' : orUnknown(decimalOrNull(row.fee_usd)),
    closedPnl: shown.basis ? orUnknown(shown.basis.closedPnl) : UNKNOWN,
    protocol: shown.protocol,
    assetsIn: moved.filter(({ amount }) => !amount.startsWith('-')).map((movement) => presentAsset(movement, shown)),
    assetsOut: moved.filter(({ amount }) => amount.startsWith('-')).map((movement) => presentAsset(movement, shown)),
    nativeAssetFees: formatDecimal(fromRaw(BigInt(feeRaw), chain.native.decimals)),
    explorerUrl: chain.explorer.transaction + row.hash,
  }
}

/** A token of unknown decimals is counted in base units, and says so: no price is of these. */
function presentAsset(movement: ListedMovement, { row, chain, find, basis }: ShownTransaction): TransactionAsset {
  const token = find(movement.token)
  const isIn = !movement.amount.startsWith('-')
  const decimals = movement.token_id === null ? token?.decimals : 0
  const balance = fromRaw(BigInt(movement.amount), decimals ?? 0).abs()
  const price = movement.price === null || decimals === undefined ? ZERO : roundPrice(decimal(movement.price))
  const other = movement.counterparty ?? ''
  const result = basis?.movements.get(movement.place)
  return {
    balance: formatDecimal(balance),
    symbol: token?.symbol.toLowerCase() ?? '',
    name: token?.name.toLowerCase() ?? '',
    decimal: decimals === undefined ? UNKNOWN : String(decimals),
    price: formatDecimal(price),
    value: formatDecimal(balance.times(price)),
    contract: movement.token,
    chainKey: chain.key,
    chainContract: `${chain.key}:${movement.token}`,
    from: isIn ? other : row.wallet,
    to: isIn ? row.wallet : other,
    costBasis: orUnknown(result?.costBasis),
    closedPnl: orUnknown(result?.closedPnl),
    ...(movement.token_id !== null && { nft: { tokenId: movement.token_id } }),
  }
}

type CoverageRow = Awaited<ReturnType<TransactionStore['coverage']>>[number]

/** Complete: nothing that moved in these blocks is missing. */
export function presentCoverage({ wallet, chain, from_block, to_block, complete, reason }: CoverageRow) {
  return {
    address: wallet,
    chain,
    fromBlock: from_block.toString(),
    toBlock: to_block.toString(),
    complete: complete === true,
    ...(reason && { reason }),
  }
}
