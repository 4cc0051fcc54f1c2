import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'
import { z } from 'zod'

/** The four kinds of address, told apart by spelling alone: no string is valid in two of them. */
export type AddressFamily = 'evm' | 'solana' | 'tron' | 'starknet'

/** How a normalised address of a family is typed. */
export type AddressOf<F extends AddressFamily> = F extends 'evm' | 'starknet' ? `0x${string}` : string

/** A well-formed address in the one spelling that Coffer stores, compares and answers with. */
export type WalletAddress = { family: AddressFamily; address: string }

const EVM = /^0x[0-9a-fA-F]{40}$/
/** 32 bytes are 32 (all zero) to 44 base58 digits. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SOLANA_BYTES = 32
const TRON = /^T[1-9A-HJ-NP-Za-km-z]{33}$/
const TRON_BYTES = 21
const TRON_PREFIX = 0x41
const STARKNET = /^0x[0-9a-fA-F]{41,64}$/
/** The field that Starknet addresses are elements of: 2^251 + 17 · 2^192 + 1. */
const STARKNET_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

const base58check = createBase58check(sha256)

/**
 * Reads an address of any family; `undefined` when it is none. EVM addresses come out lower-case whatever their EIP-55
 * spelling; the others are compared as written and come out as they went in.
 */
export function parseAddress(value: string): WalletAddress | undefined {
  if (EVM.test(value)) return { family: 'evm', address: value.toLowerCase() }
  if (STARKNET.test(value)) {
    return BigInt(value) < STARKNET_PRIME ? { family: 'starknet', address: value } : undefined
  }
  if (TRON.test(value) && isTron(value)) return { family: 'tron', address: value }
  if (SOLANA.test(value) && base58.decode(value).length === SOLANA_BYTES) return { family: 'solana', address: value }
  return undefined
}

function isTron(value: string): boolean {
  try {
    const bytes = base58check.decode(value)
    return bytes.length === TRON_BYTES && bytes[0] === TRON_PREFIX
  } catch {
    return false
  }
}

const familyNames: Record<AddressFamily, string> = {
  evm: 'EVM',
  solana: 'Solana',
  tron: 'Tron',
  starknet: 'Starknet',
}

/** What a route takes: `accepts` are read, `refuses` are well-formed addresses of families that it cannot serve yet. */
export type AddressRule<F extends AddressFamily> = {
  readonly accepts: readonly F[]
  readonly refuses?: readonly AddressFamily[]
}

/** An address in its one spelling, or why the route cannot take it. */
type Accepted = { address: string } | { refusal: string }

function acceptAddress(value: string, rule: AddressRule<AddressFamily>): Accepted {
  const parsed = parseAddress(value)
  const shown = shorten(value)
  if (!parsed) return { refusal: `not a wallet address: ${shown}` }
  if (rule.accepts.includes(parsed.family)) return { address: parsed.address }
  if (rule.refuses?.includes(parsed.family)) {
    return { refusal: `${familyNames[parsed.family]} is not a supported chain here: ${shown}` }
  }
  return { refusal: `${familyNames[parsed.family]} addresses are not supported by this endpoint: ${shown}` }
}

/** What a refusal repeats of the text that was refused. */
export function shorten(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value
}

/** One address, in a path or a body. */
export function addressSchema<F extends AddressFamily>(rule: AddressRule<F>) {
  return z
    .string({ error: 'must be a wallet address' })
    .transform((value, context): AddressOf<F> => {
      const accepted = acceptAddress(value, rule)
      if ('address' in accepted) return accepted.address as AddressOf<F>
      context.addIssue({ code: 'custom', message: accepted.refusal })
      return z.NEVER
    })
    .meta({ wire: { type: 'string' } })
}

function isList(value: unknown): value is string | string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string'))
}

/** The `addresses` query of wallets; see `listOf`. Addresses that are equal in their family count once. */
export function addressList<F extends AddressFamily>(rule: AddressRule<F> & { readonly max: number }) {
  const accept = (value: string) => acceptAddress(value, rule)
  return listOf<AddressOf<F>>({ of: 'wallet addresses', accept, max: rule.max })
}

/**
 * A list in a query: a comma list, a repeated key, or both. White space is trimmed, empty parts are dropped, and what has
 * the same spelling once accepted counts once; then there must be between one and `max`. In request order.
 */
export function listOf<T extends string>({
  of,
  one,
  accept,
  max,
  pattern,
}: {
  of: string
  /** What one of them is called, where they are no addresses. */
  one?: string
  accept: (part: string) => Accepted
  max: number
  /** What every part looks like, where one expression says it. */
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
