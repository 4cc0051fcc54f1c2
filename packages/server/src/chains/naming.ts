import type { TransactionType, Treatment } from '../domain/transaction.ts'
import { type AnyChange, isGiven, type Leg, legOf, type Part, type Remainder } from './legs.ts'

/** Rules are tried in order; each change is taken once. */
export type NamingRule<Facts, C extends AnyChange> = {
  name: string
  when?(facts: Facts): boolean
  /** Default: all remaining changes. */
  take?(part: Part<C>, facts: Facts): boolean
  /** `undefined`: the rule does not apply. */
  type: TransactionType | ((facts: Facts) => TransactionType | undefined)
  treatment: Treatment | ((part: Part<C>) => Treatment)
  protocol?(facts: Facts, taken: readonly Part<C>[]): string | null
  /** Default: one leg for all. */
  legs?: 'each' | 'direction'
}

export type NamedLeg<C extends AnyChange> = Leg<C> & { rule: string }

/** Tries each rule once. `factsOf` gets the legs of the rules before. */
export function applyRules<Facts, C extends AnyChange>(
  rules: readonly NamingRule<Facts, C>[],
  factsOf: (named: readonly NamedLeg<C>[]) => Facts,
  rest: Remainder<C>,
): NamedLeg<C>[] {
  const named: NamedLeg<C>[] = []
  let facts = factsOf(named)
  for (const rule of rules) {
    if (rest.all().length === 0) break
    const type = typeBy(rule, facts)
    const taken = type === undefined ? [] : rest.take((part) => rule.take?.(part, facts) ?? true)
    if (type === undefined || taken.length === 0) continue
    const protocol = rule.protocol?.(facts, taken) ?? null
    named.push(...groupsOf(rule, taken).map((parts) => ({ ...legWith(rule, type, protocol, parts), rule: rule.name })))
    facts = factsOf(named)
  }
  return named
}

function typeBy<Facts, C extends AnyChange>(
  { when, type }: NamingRule<Facts, C>,
  facts: Facts,
): TransactionType | undefined {
  if (when && !when(facts)) return undefined
  return typeof type === 'function' ? type(facts) : type
}

function groupsOf<C extends AnyChange>({ legs }: NamingRule<never, C>, taken: readonly Part<C>[]) {
  if (legs === 'each') return taken.map((part) => [part])
  return legs === 'direction' ? [...Map.groupBy(taken, isGiven).values()] : [taken]
}

function legWith<C extends AnyChange>(
  { treatment }: NamingRule<never, C>,
  type: TransactionType,
  protocol: string | null,
  parts: readonly Part<C>[],
): Leg<C> {
  if (typeof treatment === 'string') return legOf(type, treatment, protocol, parts)
  return { type, protocol, parts: parts.map((part) => ({ ...part, treatment: treatment(part) })) }
}
