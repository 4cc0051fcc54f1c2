import type { Transaction, TransactionAsset } from '@coffer/contract'
import { type Column, figure, text } from './csv.ts'
import { isStated } from './import-rows.ts'

/** null: the transaction moved nothing. */
type MovementLine = { transaction: Transaction; asset: TransactionAsset | null }

const UNKNOWN = 'N/A'

export function movementLines(transaction: Transaction): MovementLine[] {
  const { assetsOut, assetsIn, nativeAssetFees: gas } = transaction
  const assets = [...assetsOut, ...assetsIn, ...(gas.balance === '0' ? [] : [gas])]
  return assets.length > 0 ? assets.map((asset) => ({ transaction, asset })) : [{ transaction, asset: null }]
}

const ofAsset = (read: (asset: TransactionAsset) => string) => (line: MovementLine) =>
  line.asset ? read(line.asset) : ''

/** Gas has no cost: it is an expense at its price. */
const ofCost = (read: (asset: TransactionAsset) => string) =>
  ofAsset((asset) => (asset.isNativeAssetFees ? '' : read(asset)))

const orUnknown = (asset: TransactionAsset, value: string) => (asset.priceSource === null ? UNKNOWN : value)

function directionOf({ isNativeAssetFees, isAssetIn }: TransactionAsset): string {
  if (isNativeAssetFees) return 'fee'
  return isAssetIn ? 'in' : 'out'
}

/** Without `decimals` the amount is in base units. */
function missingIn(asset: TransactionAsset): string {
  const missing = [
    ...(asset.decimal === UNKNOWN ? ['decimals'] : []),
    ...(asset.priceSource === null ? ['price'] : []),
    ...(asset.costBasis === UNKNOWN && !asset.isNativeAssetFees ? ['cost'] : []),
    ...(asset.closedPnl === UNKNOWN && !asset.isNativeAssetFees ? ['pnl'] : []),
  ]
  return missing.join(' ')
}

/** Figures have all digits, as in the API. */
export const ownColumns: readonly Column<MovementLine>[] = [
  text('wallet', ({ transaction }) => transaction.address),
  text('chain', ({ transaction }) => transaction.chain.key),
  figure('block', ({ transaction }) => transaction.blockNumber),
  text('time', ({ transaction }) => new Date(Number(transaction.timestamp) * 1_000).toISOString()),
  text('hash', ({ transaction }) => transaction.hash),
  text('status', ({ transaction }) => transaction.confirmed),
  text('type', ({ transaction }) => transaction.type),
  text('protocol', ({ transaction: { protocol } }) => (isStated(protocol) ? 'unknown' : protocol.key)),
  text('function', ({ transaction }) => transaction.functionName),
  text('from', ({ transaction }) => transaction.from),
  text('to', ({ transaction }) => transaction.to),
  figure('closed_pnl_usd', ({ transaction }) => transaction.closedPnl),
  text('direction', ofAsset(directionOf)),
  figure(
    'amount',
    ofAsset(({ balance }) => balance),
  ),
  text(
    'symbol',
    ofAsset(({ symbol }) => symbol),
  ),
  text(
    'name',
    ofAsset(({ name }) => name),
  ),
  text(
    'contract',
    ofAsset(({ contract }) => contract),
  ),
  figure(
    'token_id',
    ofAsset(({ nft }) => nft?.tokenId ?? ''),
  ),
  text(
    'counterparty',
    ofAsset(({ isAssetIn, from, to }) => (isAssetIn ? from : to)),
  ),
  figure(
    'price_usd',
    ofAsset((asset) => orUnknown(asset, asset.price)),
  ),
  text(
    'price_source',
    ofAsset(({ priceSource }) => priceSource ?? ''),
  ),
  figure(
    'value_usd',
    ofAsset((asset) => orUnknown(asset, asset.value)),
  ),
  figure(
    'cost_basis_usd',
    ofCost(({ costBasis }) => costBasis),
  ),
  figure(
    'movement_closed_pnl_usd',
    ofCost(({ closedPnl }) => closedPnl),
  ),
  text('missing', ofAsset(missingIn)),
]
