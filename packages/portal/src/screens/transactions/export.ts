import { toCsv } from '../../lib/csv.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import { type Asset, feeWorthOf, movementsOf, priceOf, type Transaction, worthOf } from './transaction.ts'

const COLUMNS = [
  ...['wallet', 'chain', 'block', 'time', 'hash', 'status', 'type', 'protocol', 'function', 'from', 'to'],
  ...['closed_pnl_usd', 'direction', 'amount', 'symbol', 'name', 'contract', 'token_id', 'counterparty'],
  ...['price_usd', 'price_source', 'value_usd', 'cost_basis_usd', 'movement_closed_pnl_usd'],
]

/** A line a movement, the fee among them, with its transaction's facts before it; figures are the API's own texts. */
export const transactionsToCsv = (transactions: readonly Transaction[]): string =>
  toCsv(COLUMNS, transactions.flatMap(linesOf))

export const transactionsToJson = (transactions: readonly Transaction[]): string =>
  `${JSON.stringify(transactions, null, 2)}\n`

function linesOf(one: Transaction): string[][] {
  const facts = factsOf(one)
  const fee = one.nativeAssetFees.balance === '0' ? [] : [[...facts, ...feeOf(one)]]
  const lines = [...movementsOf(one).map((asset) => [...facts, ...movementOf(asset)]), ...fee]
  return lines.length > 0 ? lines : [[...facts, ...Array.from({ length: COLUMNS.length - facts.length }, () => '')]]
}

const factsOf = (one: Transaction): string[] => [
  one.address,
  one.chain.key,
  one.blockNumber,
  fromUnixSeconds(one.timestamp)?.toISOString() ?? one.timestamp,
  one.hash,
  one.confirmed,
  one.type,
  one.protocol.key,
  one.functionName,
  one.from,
  one.to,
  one.closedPnl,
]

const namesOf = ({ symbol, name, contract, nft }: Asset): string[] => [symbol, name, contract, nft?.tokenId ?? '']

const movementOf = (asset: Asset): string[] => [
  asset.isAssetIn ? 'in' : 'out',
  asset.balance,
  ...namesOf(asset),
  asset.isAssetIn ? asset.from : asset.to,
  priceOf(asset),
  asset.priceSource ?? '',
  worthOf(asset),
  asset.costBasis,
  asset.closedPnl,
]

const feeOf = (one: Transaction): string[] => {
  const { nativeAssetFees: fee } = one
  return ['fee', fee.balance, ...namesOf(fee), '', priceOf(fee), fee.priceSource ?? '', feeWorthOf(one), '', '']
}
