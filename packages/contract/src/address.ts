import { z } from 'zod'
import { type AddressFamily, evmAddresses, savedAddresses, solanaAddresses } from './address-families.ts'

/** Well-formed and normalised. */
export type WalletAddress = { family: string; address: string }

/** Family names. `refuses`: families that a route cannot serve yet. */
export type AddressRule = { readonly accepts: readonly string[]; readonly refuses?: readonly string[] }

type Accepted = { address: string } | { refusal: string }

export type Addresses = ReturnType<typeof createAddresses>

export function createAddresses(families: readonly AddressFamily[]) {
  function parse(value: string): WalletAddress | undefined {
    for (const family of families) {
      const address = family.parse(value)
      if (address !== undefined) return { family: family.name, address }
    }
    return undefined
  }

  const titleOf = (name: string) => families.find((family) => family.name === name)?.title ?? name

  function accept(value: string, rule: AddressRule): Accepted {
    const parsed = parse(value)
    const shown = shorten(value)
    if (!parsed) return { refusal: `not a wallet address: ${shown}` }
    if (rule.accepts.includes(parsed.family)) return { address: parsed.address }
    const title = titleOf(parsed.family)
    if (rule.refuses?.includes(parsed.family)) return { refusal: `${title} is not a supported chain here: ${shown}` }
    return { refusal: `${title} addresses are not supported by this endpoint: ${shown}` }
  }

  const one = (rule: AddressRule) =>
    z
      .string({ error: 'must be a wallet address' })
      .transform((value, context): string => {
        const accepted = accept(value.trim(), rule)
        if ('address' in accepted) return accepted.address
        context.addIssue({ code: 'custom', message: accepted.refusal })
        return z.NEVER
      })
      .meta({ wire: { type: 'string' } })

  /** Equal addresses count once. */
  const list = (rule: AddressRule & { readonly max: number }) =>
    listOf<string>({ of: 'wallet addresses', accept: (value) => accept(value, rule), max: rule.max })

  const telling = (what: AddressFamily['tells'][number]): AddressRule => ({
    accepts: families.filter(({ tells }) => tells.includes(what)).map(({ name }) => name),
  })

  return {
    parse,
    one,
    list,
    wallets: telling('holdings'),
    approvals: telling('approvals'),
    airdrops: telling('airdrops'),
    any: { accepts: families.map(({ name }) => name) } satisfies AddressRule,
    /** Returns `An EVM or Solana wallet.` or `EVM, Solana or Tron wallets, …`. */
    describe({ accepts }: AddressRule, max: number): string {
      const titles = accepts
        .map(titleOf)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')
      if (max > 1) return `${titles} wallets, in one comma-separated list.`
      return `${/^[AEIOU]/.test(titles) ? 'An' : 'A'} ${titles} wallet.`
    },
  }
}

export const shippedAddresses = createAddresses([evmAddresses, solanaAddresses, ...savedAddresses])

export const { parse: parseAddress, one: addressSchema, list: addressList } = shippedAddresses

export function shorten(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value
}

function isList(value: unknown): value is string | string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string'))
}

/**
 * Parses a list in a query: a comma list, a repeated key, or both. Trims white space, drops empty parts and duplicates,
 * and requires one to `max`. Keeps the order.
 */
export function listOf<T extends string>({
  of,
  one,
  accept,
  max,
  pattern,
}: {
  of: string
  /** Name of one part; absent for addresses. */
  one?: string
  accept: (part: string) => Accepted
  max: number
  pattern?: RegExp
}) {
  const items = { type: 'string', ...(pattern && { pattern: pattern.source }) }
  return z
    .custom<string | string[]>(isList, `is required: a comma-separated list of ${of}`)
    .transform((value, context): T[] => {
      const unique = new Set<string>()
      for (const part of String(value).split(',')) {
        const trimmed = part.trim()
        if (trimmed === '') continue
        const accepted = accept(trimmed)
        if ('refusal' in accepted) {
          context.addIssue({ code: 'custom', message: accepted.refusal })
          return z.NEVER
        }
        unique.add(accepted.address)
      }
      const message = countProblem(unique.size, max, one === undefined ? ADDRESS : { one, many: of })
      if (message === undefined) return [...unique] as T[]
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .meta({ wire: { type: 'array', items, minItems: 1, maxItems: max } })
}

const ADDRESS = { one: 'address', many: 'addresses' }

function countProblem(count: number, max: number, { one, many }: typeof ADDRESS): string | undefined {
  if (count === 0) return `must name at least one ${one}`
  if (count <= max) return undefined
  return max === 1 ? `must name a single ${one}` : `must name at most ${max} ${many}`
}
