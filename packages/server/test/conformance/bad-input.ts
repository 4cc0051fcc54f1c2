import type { Endpoint } from '@coffer/contract'
import { openApiDocument } from '../../src/http/openapi.ts'

export type BadInput = { why: string; search?: string; body?: string; contentType?: string }

type Schema = {
  type?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: { pattern?: string }
  minLength?: number
  maxLength?: number
}
type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }
type Operation = { parameters: Parameter[]; requestBody?: unknown }

const NOT_INTEGERS = [
  '',
  ...'abc -1 1.5 1e1 0x1 +1 %2B5 01 %205 %205%20 ٣ %zz NaN 9007199254740993'.split(' '),
  '1'.repeat(40),
]
const NOT_BOOLEANS = ['', 'Truee', '1', 'yes', 'null']
const NOT_LISTS = ['', ',', '%20', 'zzz', '0x12', 'vitalik.eth', 'virtual:x']

/** Follows from the declared parameters and body. */
export function badInputs(endpoint: Endpoint, good: URLSearchParams): BadInput[] {
  const { paths } = openApiDocument({ endpoint }) as { paths: Record<string, Record<string, Operation>> }
  const operation = Object.values(paths)[0]?.[endpoint.method.toLowerCase()]
  if (!operation) throw new Error(`${endpoint.path} is not in its own document`)
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  return [...query.flatMap((parameter) => badQueries(parameter, good)), ...(operation.requestBody ? BAD_BODIES : [])]
}

function badQueries({ name, required, schema }: Parameter, good: URLSearchParams): BadInput[] {
  const others = new URLSearchParams(good)
  others.delete(name)
  const rest = others.size > 0 ? `&${others}` : ''
  const wrong = wrongValues(schema).map((value) => ({
    why: `${name}=${value.slice(0, 50)}`,
    search: `${name}=${value}${rest}`,
  }))
  const long = { why: `${name} of 10 KB`, search: `${name}=${'1'.repeat(10_000)}${rest}` }
  const repeated = {
    why: `${name} repeated`,
    search: `${name}=${rightValue(schema)}&${name}=${rightValue(schema)}${rest}`,
  }
  return [
    ...wrong,
    ...(schema.type === 'string' && schema.enum === undefined ? [] : [long]),
    ...(schema.type === 'array' ? [] : [repeated]),
    ...(required ? [{ why: `no ${name}`, search: others.toString() }] : []),
  ]
}

function wrongValues({ type, minimum = 0, maximum, maxItems = 0, items, minLength = 0, maxLength }: Schema): string[] {
  if (type === 'boolean') return NOT_BOOLEANS
  if (type === 'array') {
    const tooMany = Array.from({ length: maxItems + 1 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)
    const isItem = (text: string) => items?.pattern !== undefined && new RegExp(items.pattern).test(text)
    return [...NOT_LISTS.filter((text) => !isItem(text)), tooMany.join(',')]
  }
  if (type === 'string' && minLength === 0 && maxLength !== undefined) return ['x'.repeat(maxLength + 1)]
  if (type !== 'integer') return ['']
  const beyond = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [String(maximum + 1)]
  return [...NOT_INTEGERS, ...(minimum > 0 ? [String(minimum - 1)] : []), ...beyond]
}

function rightValue({ type, minimum = 0 }: Schema): string {
  if (type === 'boolean') return 'true'
  return type === 'integer' ? String(minimum) : 'x'
}

const BAD_BODIES: BadInput[] = [
  { why: 'no body', contentType: 'application/json' },
  ...['null', '[]', '"x"', '5', '{', '\ufeff{}', '['.repeat(100_000)].map((body) => ({
    why: `body ${body.slice(0, 10)}`,
    body,
    contentType: 'application/json',
  })),
  { why: 'a form', body: 'a=b', contentType: 'application/x-www-form-urlencoded' },
  { why: 'plain text', body: '{}', contentType: 'text/plain' },
]

/** Each is ignored. */
export const IGNORED_QUERIES = [
  ...'unknown=1 a[]=1&a[]=2 a[b]=c __proto__[x]=1 __proto__=1 constructor=1 x=%zz x=%00'.split(' '),
  `x=${'y'.repeat(10_000)}`,
]

export const ODD_PATH_PARTS = [
  ...'%00 x%00 %zz %ff ..%2f..%2fetc %2F %E0%80%AF %E2%80%AE __proto__'.split(' '),
  ...["'%20or%201=1--", 'x'.repeat(101), 'x'.repeat(2_000)],
]
