import type { V1Answer } from '../../api/types.ts'
import { priceOf, worthOf } from '../../lib/assets.ts'
import { compareDecimals, toProduct } from '../../lib/pixels.ts'
import { fromBaseUnits } from '../../lib/units.ts'

export type Approval = V1Answer<'GET', '/v1/approvals/:chain'>['items'][number]

/**
 * What a spender could take: `whole` of the balance, `part` of it, or `nothing`; `unknown` of a token that is on no list, whose
 * balance and price were not read.
 */
type Exposure = 'whole' | 'part' | 'nothing' | 'unknown'

/** The allowance that a wallet last set for a spender on a token. */
export type Allowance = {
  key: string
  chain: string
  set: Approval
  limit: 'unlimited' | 'limited' | 'revoked'
  /** In units of the token; null where its decimals are not known. */
  amount: string | null
  exposure: Exposure
  /** USD to order by; `N/A` where nothing tells it. */
  order: string
}

/** Half of all numbers of 256 bits: whoever sets as much means no limit. */
const UNLIMITED_FROM = 2n ** 255n
/** What tokens and Permit2 that count in fewer bits take for no limit. */
const LARGEST = new Set([2n ** 96n - 1n, 2n ** 160n - 1n])

/** The last allowance of each spender on each token, from approvals of a chain, newest first. */
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

/** Without limit first, then by what could be taken. */
export const byRisk = (a: Allowance, b: Allowance): number =>
  RANKS[a.limit] - RANKS[b.limit] || compareDecimals(b.order, a.order)

/** What the user calls an address; undefined where it has no name. */
export type NameOf = (address: string) => string | undefined

export const SHOWN = ['open', 'unlimited', 'limited', 'revoked', 'all'] as const
export type Shown = (typeof SHOWN)[number]

/** Whether an allowance passes the filters; `text` is looked for in the token's names, in addresses and in labels. */
export function passes(
  { limit, set }: Allowance,
  { shown, text, nameOf }: { shown: Shown; text: string; nameOf: NameOf },
): boolean {
  const isShown = shown === 'all' || (shown === 'open' ? limit !== 'revoked' : limit === shown)
  const wanted = text.trim().toLowerCase()
  const places = [set.asset?.symbol, set.asset?.name, set.contract, set.to, nameOf(set.to)]
  return isShown && (wanted === '' || places.some((place) => place?.toLowerCase().includes(wanted)))
}

/** The data of the call `approve(spender, 0)` on the token. */
export const revocationOf = (spender: string): string =>
  `0x095ea7b3${spender.replace(/^0x/, '').padStart(64, '0')}${'0'.repeat(64)}`
