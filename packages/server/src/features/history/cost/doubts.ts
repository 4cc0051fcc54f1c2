import type { Address } from '../../../domain/address.ts'
import type { Doubts } from './accounting-entries.ts'
import { type Gap, gapKey, type Scope } from './accounting-store.ts'

export function doubtsOf(
  { parts, elsewhere }: Pick<Scope, 'parts' | 'elsewhere'>,
  gaps: ReadonlyMap<string, Gap>,
): Doubts {
  const known = new Map(parts.map((part) => [placeOf(part), part]))
  const unknown = new Set(elsewhere.map(placeOf))
  const incomplete = new Set(
    [...elsewhere, ...parts.filter(({ keptFrom }) => keptFrom !== null)].map((of) => of.wallet),
  )
  return {
    hasGap: (row) => gaps.has(gapKey(row)),
    isNative: (row) => row.token === known.get(placeOf(row))?.native,
    isDoubted(row) {
      const part = known.get(placeOf(row))
      if (!part) return false
      if (row.token === part.native) return part.nativeFrom !== null && row.block >= part.nativeFrom
      return part.lostFrom !== null && row.block >= part.lostFrom && gaps.has(gapKey(row))
    },
    isFromElsewhere({ wallet, chain, counterparty, treatment, amount, block }) {
      if (amount.startsWith('-')) return false
      if (treatment === 'bridge') return incomplete.has(wallet)
      if (treatment !== 'acquire' || counterparty === null) return false
      const sender = placeOf({ wallet: counterparty, chain })
      return unknown.has(sender) || block < (known.get(sender)?.keptFrom ?? 0n)
    },
  }
}

const placeOf = ({ wallet, chain }: { wallet: Address; chain: string }) => `${wallet} ${chain}`
