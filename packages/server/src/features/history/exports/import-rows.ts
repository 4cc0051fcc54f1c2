import type { Transaction, TransactionAsset } from '@coffer/contract'
import type { Token } from '../../../domain/token.ts'
import {
  movedIn,
  presentMovement,
  presentTransaction,
  type ShownTransaction,
} from '../transactions/present-transaction.ts'
import type { ListedMovement } from '../transactions/transaction-store.ts'

/** `exchange`: another form of the same asset (receipt, wrap, stake), not a sale. `fee`: gas on its own line. */
export type RowKind =
  | 'trade'
  | 'exchange'
  | 'deposit'
  | 'withdrawal'
  | 'reward'
  | 'airdrop'
  | 'expense'
  | 'donation'
  | 'fee'

/** USD; null: unpriced. */
export type RowPart = { amount: string; asset: string; price: string | null; worth: string | null; other: string }

type Side = { kind: RowKind; sent: RowPart | null; received: RowPart | null }

export type ImportRow = Side & {
  /** Unix seconds. */
  time: number
  type: string
  fee: RowPart | null
  wallet: string
  chain: string
  hash: string
  /** Equal for lines that belong together. */
  group: string
  note: string
}

/** A leg with one asset on each side is one line, else each movement: amounts are never divided. */
export function importRows(shown: ShownTransaction): ImportRow[] {
  const transaction = presentTransaction(shown)
  const fee = transaction.nativeAssetFees.balance === '0' ? null : partOf(transaction.nativeAssetFees, shown)
  const base = {
    time: Number(transaction.timestamp),
    type: transaction.type,
    wallet: transaction.address,
    chain: transaction.chain.key,
    hash: transaction.hash,
    sent: null,
    received: null,
    fee: null,
  }
  const assets = movedIn(shown).filter(({ debt }) => !debt)
  const rows = [...Map.groupBy(assets, ({ leg }) => leg)].flatMap(([leg, movements]) =>
    sidesOf(movements, shown).map((side) => ({ ...base, ...side, group: `${transaction.hash}:${leg}` })),
  )
  const gas = { ...base, kind: 'fee' as const, sent: fee, group: `${transaction.hash}:fee` }
  const all = rows.length === 0 && fee ? [gas] : rows.map((row, i) => ({ ...row, fee: i === 0 ? fee : null }))
  return all.map((row, i) => ({ ...row, note: noteOf(transaction, row, i + 1, all.length) }))
}

/** For programs without a fee on the same line. */
export function splitFee(row: ImportRow): ImportRow[] {
  if (row.fee === null || row.kind === 'fee') return [row]
  return [
    { ...row, fee: null },
    { ...row, kind: 'fee', sent: row.fee, received: null, fee: null },
  ]
}

function sidesOf(movements: readonly ListedMovement[], shown: ShownTransaction): Side[] {
  const part = (movement: ListedMovement) => partOf(presentMovement(movement, shown), shown)
  const [ins, outs] = [movements.filter(isIn), movements.filter((one) => !isIn(one))]
  const [into, out] = [ins[0], outs[0]]
  if (into && out && movements.length === 2) {
    const isTrade = into.treatment === 'swap' || out.treatment === 'swap'
    return [{ kind: isTrade ? 'trade' : 'exchange', sent: part(out), received: part(into) }]
  }
  const { type } = shown.row
  return [
    ...outs.map((movement): Side => ({ kind: kindOut(type), sent: part(movement), received: null })),
    ...ins.map((movement): Side => ({ kind: kindIn(movement, type), sent: null, received: part(movement) })),
  ]
}

const isIn = ({ amount }: ListedMovement) => !amount.startsWith('-')

function kindIn({ treatment }: ListedMovement, type: string): RowKind {
  if (treatment !== 'income' && treatment !== 'interest') return 'deposit'
  return type === 'AIRDROP' ? 'airdrop' : 'reward'
}

function kindOut(type: string): RowKind {
  if (type === 'EXPENSE') return 'expense'
  return type === 'DONATION' ? 'donation' : 'withdrawal'
}

function partOf(asset: TransactionAsset, shown: ShownTransaction): RowPart {
  const isPriced = asset.priceSource !== null
  return {
    amount: asset.balance,
    asset: assetName(asset, shown),
    price: isPriced ? asset.price : null,
    worth: isPriced ? asset.value : null,
    other: asset.isAssetIn ? asset.from : asset.to,
  }
}

/** Appends the contract unless the coin is native or listed with a unique symbol: anyone may name a token ETH. */
function assetName({ symbol, contract, nft }: TransactionAsset, { find, chain, isOneCoin }: ShownTransaction): string {
  const isListed = find(contract as Token['address'])?.listed === true
  const isKnown = contract === chain.native.address || (isListed && isOneCoin(symbol))
  const name = symbol.toUpperCase()
  const coin = isKnown && name !== '' ? name : `${name}-${contract}`
  return nft ? `${coin}#${nft.tokenId}` : coin
}

/** A contract's name alone proves no protocol. */
export const isStated = ({ basis }: Transaction['protocol']) => basis === 'name'

function noteOf(
  { type, protocol, chain, blockNumber, assetsIn, assetsOut }: Transaction,
  { sent, received }: Omit<ImportRow, 'note'>,
  place: number,
  of: number,
): string {
  const parts = [sent, received].filter((part) => part !== null)
  const inBaseUnits = [...assetsIn, ...assetsOut].some(({ decimal }) => decimal === 'N/A')
  return [
    `${type}${protocol.key === 'unknown' || isStated(protocol) ? '' : ` ${protocol.name}`} on ${chain.key} in block ${blockNumber}`,
    ...(of > 1 ? [`line ${place} of ${of}`] : []),
    ...(parts.some(({ worth }) => worth === null) ? ['price unknown'] : []),
    ...(inBaseUnits ? ['amounts of unknown decimals are in base units'] : []),
  ].join('; ')
}
