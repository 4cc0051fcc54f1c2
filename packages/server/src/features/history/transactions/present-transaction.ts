import type { PnlReason, Transaction, TransactionAsset } from '@coffer/contract'
import type { Chain } from '../../../chains/chain.ts'
import type { Address } from '../../../domain/address.ts'
import {
  type Decimal,
  decimal,
  decimalOrNull,
  formatDecimal,
  fromRaw,
  roundPrice,
  ZERO,
} from '../../../domain/decimal.ts'
import type { Token } from '../../../domain/token.ts'
import type { ProtocolBasis, TransactionType } from '../../../domain/transaction.ts'
import { shownUnits } from '../../../domain/valuation.ts'
import type { IconUrls } from '../../icons/icons.ts'
import type { CoverageRow, ListedMovement, ListedTransaction } from './transaction-store.ts'

/** null: unknown. */
export type TransactionBasis = {
  closedPnl: Decimal | null
  movements: ReadonlyMap<number, BookedMovement>
}
type BookedMovement = { costBasis: Decimal | null; closedPnl: Decimal | null }

export type ShownTransaction = {
  row: ListedTransaction
  movements: readonly ListedMovement[]
  chain: Chain
  find(token: Address): Token | undefined
  isOneCoin(symbol: string): boolean
  functionName: string | null
  protocol: { key: string; name: string; basis?: ProtocolBasis } | null
  /** Undefined while the wallet's history is incomplete. */
  basis: TransactionBasis | 'computing' | undefined
  images?: IconUrls | undefined
}

const UNKNOWN = 'N/A'
const UNKNOWN_PROTOCOL = { key: 'unknown', name: 'Unknown' }

const orUnknown = (value: Decimal | null | undefined) => (value ? formatDecimal(roundPrice(value)) : UNKNOWN)

/** Excludes gas and zero amounts. */
export const movedIn = ({ movements }: ShownTransaction) =>
  movements.filter(({ treatment, amount }) => treatment !== 'fee' && amount !== '0')

export function presentTransaction(shown: ShownTransaction): Transaction {
  const { row, chain, images } = shown
  const moved = movedIn(shown)
  const native = moved.filter(({ token }) => token === chain.native.address).map(({ amount }) => BigInt(amount))
  const nativeRaw = native.reduce((total, amount) => total + amount, 0n)
  const assets = moved.map((movement) => presentMovement(movement, shown))
  const fees = presentFees(shown)
  const unpriced = [...assets, fees].some(({ priceSource, balance }) => priceSource === null && balance !== '0')
  return {
    address: row.wallet,
    hash: row.hash,
    confirmed: row.succeeded ? 'CONFIRMED' : 'FAILED',
    chain: { key: chain.key, name: chain.name, ...images?.chain(chain.key) },
    timestamp: String(row.block_time.getTime() / 1000),
    blockNumber: row.block.toString(),
    from: row.sender,
    to: row.recipient ?? '',
    type: row.type as TransactionType,
    functionName: shown.functionName ?? '',
    value: formatDecimal(fromRaw(nativeRaw < 0n ? -nativeRaw : nativeRaw, chain.native.decimals)),
    valueFiat: formatDecimal(decimal(row.value_usd ?? '0')),
    fees: fees.balance,
    feesFiat: formatDecimal(feeUsd(shown) ?? ZERO),
    ...(unpriced && { unpriced }),
    closedPnl: orUnknown(basisOf(shown)?.closedPnl),
    ...(!basisOf(shown)?.closedPnl && { pnlReason: whyUnknown(shown, assets) }),
    protocol: presentProtocol(shown.protocol ?? UNKNOWN_PROTOCOL, images),
    subProtocol: presentProtocol(UNKNOWN_PROTOCOL, images),
    assetsIn: assets.filter(({ isAssetIn }) => isAssetIn),
    assetsOut: assets.filter(({ isAssetIn }) => !isAssetIn),
    nativeAssetFees: fees,
    explorerUrl: chain.explorer.transaction + row.hash,
  }
}

const presentProtocol = (
  { key, name, basis }: NonNullable<ShownTransaction['protocol']>,
  images: ShownTransaction['images'],
) => ({ key, name, ...(basis && { basis }), ...images?.protocol(key) })

const basisOf = ({ basis }: ShownTransaction) => (basis === 'computing' ? undefined : basis)

function whyUnknown({ basis }: ShownTransaction, assets: readonly TransactionAsset[]): PnlReason {
  if (!basis) return 'no-history'
  if (basis === 'computing') return basis
  return assets.find(({ closedPnl }) => closedPnl === UNKNOWN)?.pnlReason ?? 'unknown-cost'
}

/** A sale with a cost basis and no gain had no price. */
function whyUnbooked(movement: ListedMovement, { basis }: ShownTransaction): PnlReason | undefined {
  if (basis === 'computing') return basis
  const result = basis?.movements.get(movement.place)
  if (!result) return 'no-history'
  if (result.costBasis && result.closedPnl) return undefined
  const cameUnpriced = !movement.amount.startsWith('-') && movement.price === null
  return result.costBasis || cameUnpriced ? 'unpriced' : 'unknown-cost'
}

export function presentMovement(movement: ListedMovement, shown: ShownTransaction): TransactionAsset {
  const { row, find } = shown
  const token = find(movement.token)
  const isIn = !movement.amount.startsWith('-')
  const decimals = movement.token_id === null ? token?.decimals : 0
  const other = movement.counterparty ?? ''
  const result = basisOf(shown)?.movements.get(movement.place)
  const costBasis = orUnknown(result?.costBasis)
  const lacks = whyUnbooked(movement, shown)
  return {
    ...presentAmount(shown, {
      address: movement.token,
      ...namesOf(token, movement.token_id !== null),
      decimals,
      ...inShownUnits(movement, decimals),
    }),
    from: isIn ? other : row.wallet,
    to: isIn ? row.wallet : other,
    isAssetIn: isIn,
    isNativeAssetFees: false,
    costBasis,
    totalCostBasis: costBasis,
    closedPnl: orUnknown(result?.closedPnl),
    ...(lacks && { pnlReason: lacks }),
    ...(movement.token_id !== null && { nft: { tokenId: movement.token_id } }),
  }
}

function inShownUnits({ amount, price, price_source, multiplier }: ListedMovement, decimals: number | undefined) {
  const balance = fromRaw(BigInt(amount), decimals ?? 0).abs()
  if (decimals === undefined) return { balance, ...priceOf(null, null) }
  if (multiplier === null) return { balance, ...priceOf(price, price_source) }
  const shown = shownUnits(multiplier, decimals, { balance, usd: decimal(price ?? '0') })
  return { balance: shown.balance, ...priceOf(price && formatDecimal(shown.usd), price_source) }
}

/** Tax programs reject an amount without a currency. */
const namesOf = (token: Token | undefined, isNft: boolean) => ({
  symbol: token?.symbol || (isNft ? 'NFT' : ''),
  name: token?.name || (isNft ? 'NFT' : ''),
})

const paidGas = ({ movements }: ShownTransaction) => movements.filter(({ treatment }) => treatment === 'fee')

/** In USD; null: unknown. */
const feeUsd = (shown: ShownTransaction) => (paidGas(shown).length === 0 ? ZERO : decimalOrNull(shown.row.fee_usd))

function presentFees(shown: ShownTransaction): TransactionAsset {
  const { row, chain } = shown
  const [gas] = paidGas(shown)
  const token = gas && gas.token !== chain.native.address ? shown.find(gas.token) : chain.native
  const { symbol = '', name = '', decimals } = token ?? {}
  const paid = paidGas(shown).filter((movement) => movement.token === gas?.token)
  const paidRaw = paid.reduce((sum, { amount }) => sum - BigInt(amount), 0n)
  const usd = feeUsd(shown) && gas ? gas.price : null
  return {
    ...presentAmount(shown, {
      address: gas?.token ?? chain.native.address,
      symbol,
      name,
      decimals,
      balance: fromRaw(paidRaw, decimals ?? 0),
      ...priceOf(usd, gas?.price_source ?? null),
    }),
    from: row.wallet,
    to: '',
    isAssetIn: false,
    isNativeAssetFees: true,
    costBasis: UNKNOWN,
    totalCostBasis: UNKNOWN,
    closedPnl: UNKNOWN,
    pnlReason: 'not-told' as const,
  }
}

const priceOf = (usd: string | null, source: string | null) =>
  usd === null ? { price: ZERO, priceSource: null } : { price: roundPrice(decimal(usd)), priceSource: source }

type Amount = {
  address: Address
  symbol: string
  name: string
  /** Undefined: the balance is in base units. */
  decimals: number | undefined
  balance: Decimal
  price: Decimal
  priceSource: string | null
}

function presentAmount({ chain, images }: ShownTransaction, amount: Amount) {
  const { address, symbol, name, decimals, balance, price, priceSource } = amount
  return {
    balance: formatDecimal(balance),
    symbol: symbol.toLowerCase(),
    name: name.toLowerCase(),
    displaySymbol: symbol,
    displayName: name,
    decimal: decimals === undefined ? UNKNOWN : String(decimals),
    price: formatDecimal(price),
    value: formatDecimal(balance.times(price)),
    priceSource,
    contract: address,
    chainKey: chain.key,
    chainContract: `${chain.key}:${address}`,
    explorerUrl: chain.explorer.token + address,
    ...images?.token(chain.key, address, symbol),
  }
}

export function presentCoverage({ wallet, chain, fromBlock, toBlock, complete, reason }: CoverageRow) {
  return {
    address: wallet,
    chain,
    fromBlock: fromBlock.toString(),
    toBlock: toBlock.toString(),
    complete,
    ...(reason && { reason }),
  }
}
