import type { V1Answer } from '../../api/types.ts'
import { priceOf, worthOf } from '../../lib/assets.ts'
import { compareDecimals, toProduct } from '../../lib/pixels.ts'
import { fromBaseUnits } from '../../lib/units.ts'

export type Approval = V1Answer<'GET', '/v1/approvals/:chain'>['items'][number]

/**
 * Part of the balance that a spender could take. `unknown`: the token is unlisted, so its balance and price were not
 * read.
 */
type Exposure = 'whole' | 'part' | 'nothing' | 'unknown'

/** The last allowance of a wallet for a spender on a token. */
export type Allowance = {
  key: string
  chain: string
  set: Approval
  limit: 'unlimited' | 'limited' | 'revoked'
  /** Token units; null if its decimals are unknown. */
  amount: string | null
  exposure: Exposure
  /** USD for sorting; `N/A` if unknown. */
  order: string
}

/** Half of all 256-bit numbers: a value this large means no limit. */
const UNLIMITED_FROM = 2n ** 255n
/** Values that mean no limit to tokens and Permit2, which count in fewer bits. */
const LARGEST = new Set([2n ** 96n - 1n, 2n ** 160n - 1n])

/** Returns each spender's last allowance on each token. Approvals are of one chain, newest first. */
export function lastAllowances(chain: string, approvals: readonly Approval[]): Allowance[] {
  const last = new Map<string, Allowance>()
  for (const set of approvals) {
    const key = `${chain}:${set.contract}:${set.to}`
    if (!last.has(key)) last.set(key, { key, chain, set, ...measure(set) })
  }
  return [...last.values()]
}

function measure({ amount: raw, asset }: Approval): Pick<Allowance, 'limit' | 'amount' | 'exposure' | 'order'> {
  const units = BigInt(raw)
  const amount = asset ? fromBaseUnits(raw, asset.decimal) : null
  if (units === 0n) return { limit: 'revoked', amount, exposure: 'nothing', order: '0' }
  const limit = units >= UNLIMITED_FROM || LARGEST.has(units) ? 'unlimited' : 'limited'
  if (!asset || (limit === 'limited' && amount === null)) return { limit, amount, exposure: 'unknown', order: 'N/A' }
  if (limit === 'limited' && amount !== null && compareDecimals(amount, asset.balance) < 0) {
    return { limit, amount, exposure: 'part', order: toProduct(amount, priceOf(asset)) }
  }
  const exposure = compareDecimals(asset.balance, '0') === 0 ? 'nothing' : 'whole'
  return { limit, amount, exposure, order: exposure === 'nothing' ? '0' : worthOf(asset) }
}

const RANKS = { unlimited: 0, limited: 1, revoked: 2 } as const

/** Unlimited first, then by the amount at risk. */
export const byRisk = (a: Allowance, b: Allowance): number =>
  RANKS[a.limit] - RANKS[b.limit] || compareDecimals(b.order, a.order)

/** Returns the user's name for an address. */
export type NameOf = (address: string) => string | undefined

export const SHOWN = ['open', 'unlimited', 'limited', 'revoked', 'all'] as const
export type Shown = (typeof SHOWN)[number]

/** Looks for `text` in the token's names, addresses and labels. */
export function passes(
  { limit, set }: Allowance,
  { shown, text, nameOf }: { shown: Shown; text: string; nameOf: NameOf },
): boolean {
  const isShown = shown === 'all' || (shown === 'open' ? limit !== 'revoked' : limit === shown)
  const wanted = text.trim().toLowerCase()
  const places = [set.asset?.symbol, set.asset?.name, set.contract, set.to, nameOf(set.to)]
  return isShown && (wanted === '' || places.some((place) => place?.toLowerCase().includes(wanted)))
}

/** Calldata of `approve(spender, 0)` on the token. */
export const revocationOf = (spender: string): string =>
  `0x095ea7b3${spender.replace(/^0x/, '').padStart(64, '0')}${'0'.repeat(64)}`
