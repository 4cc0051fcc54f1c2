import { type Decimal, proportion, ZERO } from '../decimal.ts'
import type { Backing, Principal } from './state.ts'

export function splitBacking(backing: Backing | null, part: Decimal, whole: Decimal): [Backing | null, Backing | null] {
  if (backing === null) return [null, null]
  const taken: Record<string, Principal> = {}
  const kept: Record<string, Principal> = {}
  for (const [identity, principal] of Object.entries(backing.principal)) {
    const quantity = proportion(principal.quantity, part, whole)
    const [inner, rest] = splitBacking(principal.backing, part, whole)
    taken[identity] = { quantity, backing: inner }
    kept[identity] = { quantity: principal.quantity.minus(quantity), backing: rest }
  }
  const units = proportion(backing.units, part, whole)
  return [
    { units, principal: taken },
    { units: backing.units.minus(units), principal: kept },
  ]
}

export function mergeBacking(a: Backing | null, b: Backing | null): Backing | null {
  if (a === null || b === null) return a ?? b
  const principal: Record<string, Principal> = { ...a.principal }
  for (const [identity, other] of Object.entries(b.principal)) {
    const own = principal[identity]
    principal[identity] = own
      ? { quantity: own.quantity.plus(other.quantity), backing: mergeBacking(own.backing, other.backing) }
      : other
  }
  return { units: a.units.plus(b.units), principal }
}

/** Units that stand for this asset alone, directly or through receipts. Null: another asset, or several. */
export function standingFor(backing: Backing | null, identity: string): (Principal & { units: Decimal }) | null {
  if (backing === null) return null
  const [only, ...others] = Object.entries(backing.principal)
  if (!only || others.length > 0) return null
  const [name, principal] = only
  if (name === identity) return { ...principal, units: backing.units }
  if (principal.quantity.eq(ZERO)) return null
  const inner = standingFor(principal.backing, identity)
  return inner && { ...inner, units: proportion(backing.units, inner.units, principal.quantity) }
}

export function standsFor(backing: Backing | null, identity: string): boolean {
  if (backing === null) return false
  return Object.entries(backing.principal).some(
    ([name, principal]) => name === identity || standsFor(principal.backing, identity),
  )
}
