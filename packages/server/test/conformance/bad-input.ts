import type { Endpoint } from '@coffer/contract'
import { openApiDocument } from '../../src/http/openapi.ts'

/** One way to ask wrongly: another query, or another body under a content type. */
export type BadInput = { why: string; search?: string; body?: string; contentType?: string }

type Schema = { type?: string; minimum?: number; maximum?: number; maxItems?: number; minLength?: number }
type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }
type Operation = { parameters: Parameter[]; requestBody?: unknown }

const NOT_INTEGERS = [
  '',
  'abc',
  '-1',
  '1.5',
  '1e1',
  '0x1',
  '+1',
  '01',
  '%205',
  'NaN',
  '9007199254740993',
  '1'.repeat(40),
]
const NOT_BOOLEANS = ['', 'TRUE', '1', 'yes', 'null']
const NOT_LISTS = ['', ',', '%20', 'zzz', '0x12', 'vitalik.eth', 'virtual:x']

/** Every wrong request that follows from what the endpoint's parameters and body are declared to be. */
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
  const repeated = {
    why: `${name} repeated`,
    search: `${name}=${rightValue(schema)}&${name}=${rightValue(schema)}${rest}`,
  }
  return [
    ...wrong,
    ...(schema.type === 'array' ? [] : [repeated]),
    ...(required ? [{ why: `no ${name}`, search: others.toString() }] : []),
  ]
}

function wrongValues({ type, minimum = 0, maximum, maxItems = 0 }: Schema): string[] {
  if (type === 'boolean') return NOT_BOOLEANS
  if (type === 'array') {
    const tooMany = Array.from({ length: maxItems + 1 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)
    return [...NOT_LISTS, tooMany.join(',')]
  }
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
