import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { type Endpoint, glossary, type JsonObject, jsonSchema } from '@coffer/contract'
import type { z } from 'zod'
import { API_GUIDE, TAGS } from './api-guide.ts'
import { failureBody, failureStatuses } from './error-body.ts'

/** Version of the interface, not of this software. */
const INTERFACE_VERSION = '1.0.0'

const text = { schema: { type: 'string' } }
const integer = { schema: { type: 'integer' } }

const headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed in the window', ...integer },
  'X-RateLimit-Remaining': { description: 'Requests left in the window', ...integer },
  'X-RateLimit-Reset': { description: 'Unix time in seconds at which the window ends', ...integer },
  'X-Request-Id': { description: 'Id of this request in the log of the service', ...text },
  'X-Ignored-Parameters': {
    description: 'Unknown names in the query, separated by commas and percent-encoded; absent if all names are known',
    ...text,
  },
  'Retry-After': { description: 'Seconds to wait before the next try', ...integer },
  'WWW-Authenticate': { description: 'The scheme to authenticate with', ...text },
} as const

const MEANINGS: Readonly<Record<string, string>> = {
  'x-data-complete': 'Whether all requested data is complete; `false`: some of it is missing',
}

type HeaderName = keyof typeof headers
/** Statuses with a header; without a row, all. */
const STATUSES: Readonly<Partial<Record<HeaderName, readonly number[]>>> = {
  'X-Ignored-Parameters': [200, 201, 204, 400],
  'WWW-Authenticate': [401],
  'Retry-After': [429, 503],
}

export type Example = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly answer?: unknown
}

/** Recorded from a service over local chains by `npm run examples`. */
export function readExamples(): Readonly<Record<string, Example | undefined>> {
  return JSON.parse(readFileSync(new URL('./api-examples.json', import.meta.url), 'utf8'))
}

export function openApiDocument(
  endpoints: Readonly<Record<string, Endpoint>>,
  examples: Readonly<Record<string, Example | undefined>> = {},
  messages: Readonly<Record<string, z.ZodType>> = {},
): JsonObject {
  const paths: Record<string, JsonObject> = {}
  const schemas: Record<string, JsonObject> = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const described = nameSchemas(operation(name, endpoint, examples[name]), schemas)
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: described }
  }
  const webhooks = Object.entries(messages).map(([kind, message]) => [
    kind,
    { post: nameSchemas(received(kind, message), schemas) },
  ])
  const models = Object.entries(schemas).map(([name, schema]) => [name, describeFields(schema, name)])
  return {
    openapi: '3.1.1',
    info: {
      title: 'Coffer',
      version: INTERFACE_VERSION,
      description: API_GUIDE,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(endpoints).map(({ tag }) => tag))].map((name) => {
      return { name, ...(TAGS[name] && { description: TAGS[name] }) }
    }),
    paths: describeFields(paths),
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer coffer_…`.' },
      },
      headers,
      schemas: Object.fromEntries(models),
    },
  }
}

function describeFields<T>(node: T, model?: string): T {
  if (Array.isArray(node)) return node.map((part) => describeFields(part, model)) as T
  if (typeof node !== 'object' || node === null) return node
  const parts = Object.entries(node).map(([key, part]) => {
    const described = describeFields(part, key === 'properties' ? model : undefined)
    return [key, key === 'properties' ? withMeanings(described, model) : described]
  })
  return Object.fromEntries(parts)
}

function withMeanings(properties: Record<string, JsonObject>, model?: string): Record<string, JsonObject> {
  const fields = Object.entries(properties).map(([name, property]) => {
    const description = property['description'] ?? glossary[`${model}.${name}`] ?? glossary[name]
    return [name, { ...property, ...(description !== undefined && { description }) }]
  })
  return Object.fromEntries(fields)
}

function nameSchemas(operation: JsonObject, schemas: Record<string, JsonObject>): JsonObject {
  const moved = JSON.stringify(operation, (key, value) => {
    if (key !== '$defs') return value
    for (const [name, schema] of Object.entries(value as Record<string, JsonObject>)) {
      const known = schemas[name]
      if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are named ${name}`)
      schemas[name] = schema
    }
    return undefined
  })
  return JSON.parse(moved)
}

function operation(name: string, endpoint: Endpoint, example: Example = {}): JsonObject {
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [endpoint.tag],
    parameters: [
      ...parameters('path', endpoint.params, example.params),
      ...parameters('query', endpoint.query, example.query),
      ...parameters('header', endpoint.sends),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: nameObjects(sharedSchema(endpoint.body, 'input'), `${capitalised(name)}Request`),
            ...shown(example.body),
          },
        },
      },
    }),
    responses: {
      [endpoint.status]: success(endpoint, `${capitalised(name)}Answer`, example.answer),
      ...Object.fromEntries(failureStatuses(endpoint).map((status) => [status, failure(endpoint, status)])),
    },
    'x-credits': typeof endpoint.cost === 'number' ? endpoint.cost : 'depends on the request',
    'x-rate-limit-bucket': endpoint.bucket,
    'x-requires': endpoint.requires,
  }
}

function received(kind: string, message: z.ZodType): JsonObject {
  const { description = '' } = message.meta() ?? {}
  const name = kind.split('.').map(capitalised).join('')
  return {
    operationId: `on${name}`,
    summary: `Event ${kind}`,
    description: `${description} Signed by the Standard Webhooks specification: headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`.`,
    tags: ['Webhooks'],
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: sharedSchema(message, 'output') } } },
    responses: { '2XX': { description: 'Accepted: the event is not sent again.' } },
  }
}

type ModelledSchema = JsonObject & {
  properties?: Record<string, ModelledSchema>
  items?: ModelledSchema
  anyOf?: ModelledSchema[]
  $defs?: Record<string, JsonObject>
}

function nameObjects({ $defs = {}, ...schema }: ModelledSchema, name: string): JsonObject {
  const models: Record<string, JsonObject> = { ...$defs }
  const visit = ({ properties, items, anyOf, ...node }: ModelledSchema, at: string): JsonObject => {
    const visited = {
      ...node,
      ...(items && { items: visit(items, `${at}Item`) }),
      ...(anyOf && { anyOf: anyOf.map((part, place) => visit(part, `${at}Choice${place + 1}`)) }),
    }
    if (!properties) return visited
    const fields = Object.entries(properties).map(([key, field]) => [key, visit(field, at + capitalised(key))])
    const { description, ...model } = { ...visited, properties: Object.fromEntries(fields) } as JsonObject
    models[at] = model
    return { $ref: `#/components/schemas/${at}`, ...(description !== undefined && { description }) }
  }
  const root = visit(schema, name)
  return { ...root, $defs: models }
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

const shown = (example: unknown) => example !== undefined && { example }

function parameters(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  example: Example['params'] = {},
): JsonObject[] {
  if (!schema) return []
  const shared = sharedSchema(schema, 'input') as { properties?: Record<string, JsonObject>; required?: string[] }
  const { properties = {}, required = [] } = shared
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    ...(property['type'] === 'array' && { style: 'form', explode: false }),
    schema: property,
    ...shown(property['type'] === 'array' && name in example ? String(example[name]).split(',') : example[name]),
  }))
}

function success(endpoint: Endpoint, model: string, example: unknown): JsonObject {
  const constant = (value: string) => ({ schema: { type: 'string', const: value } })
  const own = [
    ...Object.entries(endpoint.headers ?? {}).map(([name, value]) => [name, constant(value)]),
    ...Object.entries(endpoint.varyingHeaders ?? {}).map(([name, values]) => [
      name,
      { ...(MEANINGS[name] && { description: MEANINGS[name] }), schema: { type: 'string', enum: values } },
    ]),
  ]
  return {
    description: 'The answer',
    headers: { ...headersOf(endpoint.status), ...Object.fromEntries(own) },
    ...(endpoint.status !== 204 && {
      content: Object.fromEntries(
        (endpoint.streams ?? [endpoint.produces ?? 'application/json']).map((type, i) => [
          type,
          { schema: nameObjects(sharedSchema(endpoint.response, 'output'), model), ...(i === 0 && shown(example)) },
        ]),
      ),
    }),
  }
}

function failure({ errors }: Endpoint, status: number): JsonObject {
  const { name, schema } = failureBody(errors, status)
  const shown = name === undefined ? schema : { $ref: `#/components/schemas/${name}`, $defs: { [name]: schema } }
  return {
    description: STATUS_CODES[status] ?? String(status),
    headers: headersOf(status),
    content: { [name === undefined ? 'text/plain' : 'application/json']: { schema: shown } },
  }
}

function headersOf(status: number): JsonObject {
  const names = (Object.keys(headers) as HeaderName[]).filter((name) => STATUSES[name]?.includes(status) ?? true)
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function sharedSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  return JSON.parse(JSON.stringify(jsonSchema(schema, io)).replaceAll('"#/$defs/', '"#/components/schemas/'))
}
