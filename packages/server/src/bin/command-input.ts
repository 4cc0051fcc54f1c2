import { parseArgs } from 'node:util'
import { jsonSchema } from '@coffer/contract'
import { z } from 'zod'
import type { ChainTypes } from '../chains/chain-type.ts'
import { chainTypes } from '../chains/chain-types.ts'
import type { Address } from '../domain/address.ts'
import type { Actor } from '../features/portal-users/audit.ts'

/** The message is one sentence, shown unchanged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** A positive int8 without a sign or leading zero. */
export const id = z
  .string()
  .refine((text) => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n, 'is not an id')
  .meta({ form: 'ID' })

/** Control characters, line breaks and direction marks: a terminal would show something else. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(255, 'is longer than 255 characters')
  .refine((text) => !INVISIBLE.test(text), 'has a control character')

export const OPERATOR: Actor = { userId: null, userName: 'coffer-admin', address: 'local' }

export const commandChainTypes: ChainTypes = chainTypes

export const { parse: parseAddress } = chainTypes.addresses

/** Wallet on a chain type that is read. */
export const address = z.string().transform((text, context): Address => {
  const parsed = parseAddress(text)
  if (parsed && chainTypes.ofWallet(parsed.address)) return parsed.address
  context.addIssue({ code: 'custom', message: 'is not the address of a wallet that can be read' })
  return z.NEVER
})

/** As its chain spells it. */
export const tokenAddress = z.string().transform((text, context): Address => {
  const chainType = chainTypes.ofWallet(text)
  if (chainType) return chainType.spell(text)
  context.addIssue({ code: 'custom', message: 'is not an address' })
  return z.NEVER
})

/** `addressBookQuota` → `address-book-quota`. */
export const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export type Texts = Readonly<Record<string, string | undefined>>

export function textsOf(args: readonly string[], names: readonly string[]): Texts {
  const flags = names.filter((name) => name !== 'id')
  const { values, positionals } = parse(args, flags.map(flagOf))
  const [subject] = positionals
  if (positionals.length > names.length - flags.length) throw new Refusal(`Unexpected argument ${positionals.at(-1)}.`)
  return { id: subject, ...Object.fromEntries(flags.map((name) => [name, values[flagOf(name)]])) }
}

function parse(args: readonly string[], names: readonly string[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: withValues(args), options, allowPositionals: true, strict: true })
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split(/\n|\. /)
    throw new Refusal(`${sentence.replace(/\.$/, '')}.`)
  }
}

/** `--amount -5` → `--amount=-5`: every flag has a value, and a single dash begins no flag. */
function withValues(args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const flag = joined.at(-1) ?? ''
    const isValue = /^-[^-]/.test(arg) && /^--[a-z][a-z-]*$/.test(flag)
    if (isValue) joined.splice(-1, 1, `${flag}=${arg}`)
    else joined.push(arg)
  }
  return joined
}

/** JSON schema. `form`: value in the usage. */
type Field = {
  form?: string
  type?: string
  format?: string
  enum?: readonly unknown[]
  items?: Field
  anyOf?: readonly Field[]
  minimum?: number
  minItems?: number
  canBeNull?: boolean
}

function fieldsOf(schema: z.ZodType): { fields: Map<string, Field>; required: readonly string[] } {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Field>
    required?: readonly string[]
  }
  const fields = Object.entries(properties).map(([name, field]): [string, Field] => {
    const [value, nothing] = field.anyOf ?? []
    return [name, nothing?.type === 'null' ? { ...value, canBeNull: true } : field]
  })
  return { fields: new Map(fields), required }
}

export function usageOf(schema: z.ZodType): string {
  const { fields, required } = fieldsOf(schema)
  const shown = [...fields].map(([name, field]) => {
    const argument = name === 'id' ? formOf(name, field) : `--${flagOf(name)} ${formOf(name, field)}`
    return required.includes(name) ? argument : `[${argument}]`
  })
  return shown.join(' ')
}

const FORMS: Readonly<Record<string, string>> = { integer: 'N', date: 'DATE', 'date-time': 'TIME' }

function formOf(name: string, { type = '', format = type, enum: choices, items, ...field }: Field): string {
  if (items?.enum) return items.enum.join(',')
  const lastWord = name.replace(/^.*(?=[A-Z])/, '').toUpperCase()
  const form = field.form ?? choices?.join('|') ?? FORMS[format] ?? lastWord
  return field.canBeNull ? `${form}|default` : form
}

export function read<S extends z.ZodType>(schema: S, texts: Texts): z.output<S> {
  const { fields } = fieldsOf(schema)
  const given = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, jsonOf(text, fields.get(name) ?? {})]],
  )
  const { data, error } = schema.safeParse(Object.fromEntries(given))
  const [issue] = error?.issues ?? []
  if (!issue) return data as z.output<S>
  const [name = ''] = issue.path.map(String)
  if (name === '') throw new Refusal(`${issue.message}.`)
  const reason = reasonOf(texts[name], fields.get(name) ?? {}, issue)
  throw new Refusal(`${name === 'id' ? 'The ID' : `--${flagOf(name)}`} ${reason}.`)
}

const WHOLE = /^(0|[1-9]\d{0,15})$/
const time = z.iso.datetime({ offset: true })

/** Texts that are not JSON stay for the schema to refuse. */
function jsonOf(text: string, { type = '', format, items, canBeNull }: Field): unknown {
  if (items) return text.split(',').flatMap((part) => part.trim() || [])
  if (canBeNull && text === 'default') return null
  if (/^(integer|number)$/.test(type) && WHOLE.test(text)) return Number(text)
  if (format === 'date-time' && time.safeParse(text).success) return new Date(text).toISOString()
  return text
}

function reasonOf(text: string | undefined, field: Field, { path, message }: z.core.$ZodIssue): string {
  const { type, format, enum: choices, items, minItems, canBeNull } = field
  if (text === undefined) return 'is needed'
  if (choices) return oneOf(choices)
  const isItem = path.length > 1
  if (items?.enum && isItem) return `must be a comma list of ${items.enum.join(', ')}${minItems ? '' : ', or empty'}`
  if (type === 'integer') return `must be a whole number from ${field.minimum}${canBeNull ? ', or default' : ''}`
  if (format !== 'date-time' || time.safeParse(text).success) return message
  return 'must be a time in ISO 8601 with its zone'
}

const oneOf = (choices: readonly unknown[]) =>
  choices.length === 2 ? `must be ${choices.join(' or ')}` : `must be one of ${choices.join(', ')}`
