import { i18n } from '@lingui/core'
import { shortAddress } from '../../components/address.tsx'
import { t } from '../../lib/i18n.ts'
import { formatAmount } from '../../lib/money.ts'
import { type Asset, isInBaseUnits, type Transaction } from './transaction.ts'

const NAMED_MAX = 3

type Moved = { given: string; received: string }
type Shape = 'swap' | 'out' | 'in' | 'none'
type Sentences = Partial<Record<Shape, (moved: Moved) => string>>

export function sentenceOf(one: Transaction): string {
  const { type, protocol } = one
  const what = whatHappened(one)
  if (protocol.key === 'unknown' || type === 'SPAM') return what
  const named = { what, protocol: protocol.name }
  return protocol.basis === 'name'
    ? t('{what} on {protocol} (name given by the contract)', named)
    : t('{what} on {protocol}', named)
}

function whatHappened(one: Transaction): string {
  const moved = { given: listed(one.assetsOut), received: listed(one.assetsIn) }
  if (one.type === 'TRANSFERIN' && moved.given === '') return withOther(moved, one.assetsIn[0]?.from)
  if (one.type === 'TRANSFEROUT' && moved.received === '') return withOther(moved, one.assetsOut[0]?.to)
  const shape = shapeOf(one)
  const say = sentences[one.type]?.[shape] ?? plain[shape]
  if (say) return say(moved)
  return one.functionName === '' ? t('Called a contract') : t('Called {name}', { name: one.functionName })
}

function shapeOf({ assetsIn, assetsOut }: Transaction): Shape {
  if (assetsIn.length > 0 && assetsOut.length > 0) return 'swap'
  if (assetsOut.length > 0) return 'out'
  return assetsIn.length > 0 ? 'in' : 'none'
}

/** Sender of minted tokens, receiver of burned ones. */
const ZERO = `0x${'0'.repeat(40)}`

/** Names the other side of a transfer, if known. */
function withOther(moved: Moved, address = ''): string {
  if (address === ZERO) return moved.received !== '' ? t('Minted {received}', moved) : t('Burned {given}', moved)
  const other = shortAddress(address)
  if (moved.received !== '') {
    return other ? t('Received {received} from {other}', { ...moved, other }) : t('Received {received}', moved)
  }
  return other ? t('Sent {given} to {other}', { ...moved, other }) : t('Sent {given}', moved)
}

/** Lists the first amounts and the number of further ones. */
function listed(assets: readonly Asset[]): string {
  const named = assets.slice(0, NAMED_MAX).map(amountText)
  const more = assets.length - named.length
  const parts = more > 0 ? [...named, t('{n, plural, one {# more} other {# more}}', { n: more })] : named
  return new Intl.ListFormat(i18n.locale || 'en').format(parts)
}

/** The symbol is untrusted. */
export function amountText(asset: Asset): string {
  const { balance, nft } = asset
  const symbol = symbolOf(asset)
  if (nft) return `${symbol} #${nft.tokenId}`
  const amount = isInBaseUnits(asset)
    ? t('{amount} units of', { amount: formatAmount(balance) })
    : formatAmount(balance)
  return `${amount} ${symbol}`
}

/** Falls back to the contract of a token without a symbol. */
export const symbolOf = ({ displaySymbol, contract }: Pick<Asset, 'displaySymbol' | 'contract'>): string =>
  displaySymbol === '' ? shortAddress(contract) : displaySymbol

const plain: Sentences = {
  swap: (moved) => t('Gave {given} and received {received}', moved),
  out: (moved) => t('Sent {given}', moved),
  in: (moved) => t('Received {received}', moved),
}

/** Additions to `plain` by type. */
const sentences: Partial<Record<Transaction['type'], Sentences>> = {
  ADDLIQUIDITY: {
    swap: (moved) => t('Added {given} to liquidity for {received}', moved),
    out: (moved) => t('Added {given} to liquidity', moved),
  },
  AIRDROP: { in: (moved) => t('Received {received} as an airdrop', moved) },
  APPROVAL: { none: () => t('Approved a spender') },
  BORROW: {
    in: (moved) => t('Borrowed {received}', moved),
    swap: (moved) => t('Borrowed {received} against {given}', moved),
  },
  BRIDGEIN: { in: (moved) => t('Received {received} over a bridge', moved) },
  BRIDGEOUT: { out: (moved) => t('Sent {given} over a bridge', moved) },
  CLAIM: { in: (moved) => t('Claimed {received}', moved) },
  CLOSEVAULT: { none: () => t('Closed a vault') },
  COLLECT: { in: (moved) => t('Collected {received}', moved) },
  DEPOSIT: {
    swap: (moved) => t('Deposited {given} for {received}', moved),
    out: (moved) => t('Deposited {given}', moved),
  },
  DONATION: { out: (moved) => t('Donated {given}', moved) },
  EXPENSE: { out: (moved) => t('Spent {given}', moved) },
  FAILED: { none: () => t('Failed call') },
  FOLLOW: { none: () => t('Followed an account') },
  IGNORE: { none: () => t('Ignored') },
  LEND: {
    swap: (moved) => t('Lent {given} for {received}', moved),
    out: (moved) => t('Lent {given}', moved),
  },
  MINT: {
    swap: (moved) => t('Minted {received} for {given}', moved),
    in: (moved) => t('Minted {received}', moved),
  },
  OPENVAULT: { none: () => t('Opened a vault') },
  REMOVELIQUIDITY: {
    swap: (moved) => t('Removed {received} from liquidity for {given}', moved),
    in: (moved) => t('Removed {received} from liquidity', moved),
  },
  REPAYVAULT: { out: (moved) => t('Repaid {given}', moved) },
  SELFTRANSFER: {
    out: (moved) => t('Sent {given} to itself', moved),
    swap: (moved) => t('Sent {given} to itself', moved),
    in: (moved) => t('Received {received} from itself', moved),
  },
  SIGN: { none: () => t('Signed') },
  SPAM: {
    in: (moved) => t('Unwanted: {received}', moved),
    swap: (moved) => t('Unwanted: {received}', moved),
    none: () => t('Unwanted call'),
  },
  STAKE: {
    swap: (moved) => t('Staked {given} for {received}', moved),
    out: (moved) => t('Staked {given}', moved),
  },
  SWAP: { swap: (moved) => t('Swapped {given} for {received}', moved) },
  UNSTAKE: {
    swap: (moved) => t('Unstaked {received} for {given}', moved),
    in: (moved) => t('Unstaked {received}', moved),
  },
  UNWRAP: {
    swap: (moved) => t('Unwrapped {given} into {received}', moved),
    in: (moved) => t('Unwrapped {received}', moved),
  },
  VOTE: { none: () => t('Voted') },
  WITHDRAW: {
    swap: (moved) => t('Withdrew {received} for {given}', moved),
    in: (moved) => t('Withdrew {received}', moved),
  },
  WRAP: { swap: (moved) => t('Wrapped {given} into {received}', moved) },
}
