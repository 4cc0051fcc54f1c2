import {
  addressList,
  booleanQuery,
  defineEndpoints,
  type Endpoint,
  EVENT_KINDS,
  endpoints,
  eventMessages,
  eventStream,
  glossary,
  integerQuery,
  text,
} from '@coffer/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { lintOpenApi } from '../../test/lint-openapi.ts'
import { openApiDocument, readExamples } from './openapi.ts'

/** The served document. */
const whole = () => openApiDocument({ ...endpoints, streamEvents: eventStream }, readExamples(), eventMessages)

const things = { path: '/v1/things/:kind', tag: 'Things', status: 200 } as const
const params = z.object({ kind: text({ min: 1, max: 20 }) })
const table = defineEndpoints({
  listThings: {
    ...things,
    method: 'GET',
    summary: 'Things of a kind',
    cost: 1,
    bucket: 'portfolio',
    requires: 'portfolio',
    errors: 'coded',
    failures: [404],
    params,
    query: z.object({
      addresses: addressList({ accepts: ['evm'], max: 10 }),
      waitForSync: booleanQuery(false),
      limit: integerQuery({ min: 1, max: 100 }).default(25),
    }),
    response: z.object({ data: z.array(z.string()) }),
  },
  renameThing: {
    ...things,
    method: 'PATCH',
    summary: 'Rename',
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'plain',
    failures: [502],
    params,
    body: z.object({ name: text({ min: 1, max: 255, trim: true }) }),
    response: z.null(),
  },
})

test('Spectral has nothing to say of the document; it does of one that is spoilt', async () => {
  const document = whole()
  expect(await lintOpenApi(document)).toEqual([])
  expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '1.0.0' } })
  const spoilt = { ...document, paths: { '/v1/x': { get: { responses: { 200: {} } } } } }
  expect(await lintOpenApi(spoilt)).toContainEqual(expect.stringMatching(/^oas3-schema at paths/))
  const wrong = openApiDocument(endpoints, { getCredits: { answer: 'many' } })
  expect(await lintOpenApi(wrong)).toEqual([expect.stringMatching(/^oas3-valid-media-example at paths/)])
})

/** In their URL form. */
const asText = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))

test('every operation shows a request that it takes, and an answer where it has one', () => {
  const examples = readExamples()
  for (const [name, { params, query, body, status }] of Object.entries<Endpoint>(endpoints)) {
    const { params: path = {}, query: search = {}, body: sent, answer } = examples[name] ?? {}
    expect(params?.safeParse(asText(path)).error, name).toBeUndefined()
    expect(query?.safeParse(asText(search)).error, name).toBeUndefined()
    expect(body?.safeParse(sent).error, name).toBeUndefined()
    expect(answer === undefined, name).toBe(status === 204)
  }
  expect(Object.keys(examples)).toEqual(Object.keys(endpoints))
})

test('an operation says what the table says', () => {
  const { paths, components } = openApiDocument(table) as {
    paths: Record<string, Record<string, Record<string, unknown>>>
    components: { schemas: Record<string, object> }
  }
  const get = paths['/v1/things/{kind}']?.['get']
  const rules = { 'x-credits': 1, 'x-rate-limit-bucket': 'portfolio', 'x-requires': 'portfolio' }
  expect(get).toMatchObject({ operationId: 'listThings', ...rules })
  expect(get?.['parameters']).toEqual([
    { name: 'kind', in: 'path', required: true, schema: { type: 'string', minLength: 1, maxLength: 20 } },
    {
      ...{ name: 'addresses', in: 'query', required: true, style: 'form', explode: false },
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 },
    },
    { name: 'waitForSync', in: 'query', required: false, schema: { type: 'boolean', default: false } },
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 25 } },
  ])
  const statusesOf = (operation: typeof get) => Object.keys(operation?.['responses'] as object).join(' ')
  expect(statusesOf(get)).toBe('200 400 401 402 403 404 429 500 503')
  const patch = paths['/v1/things/{kind}']?.['patch']
  expect(statusesOf(patch)).toBe('200 400 401 413 429 500 502 503')
  const schema = { $ref: '#/components/schemas/RenameThingRequest' }
  expect(patch?.['requestBody']).toEqual({ required: true, content: { 'application/json': { schema } } })
  expect(components.schemas['RenameThingRequest']).toEqual({
    type: 'object',
    properties: { name: { type: 'string', minLength: 1, maxLength: 255, description: 'Name.' } },
    required: ['name'],
  })
})

type Described = {
  summary: string
  description?: string
  tags: string[]
  parameters: { name: string; description?: string }[]
}

test('every operation has a title of a few words and a description, and so has every parameter', () => {
  const { paths, tags } = whole() as {
    paths: Record<string, Record<string, Described>>
    tags: { name: string; description?: string }[]
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  for (const { summary, description, parameters } of operations) {
    expect(summary).toMatch(
      /^(Get|List|Save|Relabel|Remove|Create|Rename|Delete|Add|Subscribe|Sync|Change|Rotate|Test|Replay|Stream) [a-z ]{2,30}$/,
    )
    expect(description, summary).toMatch(/^.{15,}\.$/s)
    for (const { name, description: says } of parameters) expect(says, `${summary}: ${name}`).toMatch(/^.{5,}\.$/s)
  }
  expect(tags.map(({ name }) => name)).toEqual([...new Set(operations.flatMap((operation) => operation.tags))])
  expect(tags[0]?.name).toBe('Portfolio')
  for (const tag of tags) expect(tag.description, tag.name).toMatch(/^.{10,}\.$/)
})

test('every field has a description, and every word of the glossary describes one', () => {
  const { paths, components } = whole() as { paths: object; components: { schemas: object } }
  const used = new Set<string>()
  const lacking = new Set<string>()
  const note = ([name, { description }]: [string, { description?: string }]) =>
    description === undefined ? lacking.add(name) : used.add(description)
  JSON.stringify([paths, components.schemas], (key, part) => {
    if (key === 'properties') Object.entries<{ description?: string }>(part).forEach(note)
    return part
  })
  expect([...lacking]).toEqual([])
  expect(Object.entries(glossary).filter(([, says]) => !used.has(says))).toEqual([])
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining(['Portfolio', 'Transaction', 'Position', 'SyncStatus']),
  )
})

/** Objects with fields inside another object or an operation, without a name. */
function* unnamed(node: unknown, at: string): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if ('properties' in node && at !== '') yield at
  for (const [key, part] of Object.entries(node)) if (key !== 'example') yield* unnamed(part, `${at}.${key}`)
}

test('every object has a name, so that clients get a model for it; extras of an error are part of it', () => {
  const { paths, components } = whole() as { paths: object; components: { schemas: object } }
  const found = Object.entries(components.schemas).flatMap(([name, schema]) =>
    [...unnamed(schema, '')].map((at) => name + at),
  )
  const ofErrors = /^(Coded\w+\.properties\.error|ValidationFailed\.properties\.details)$/
  expect([...unnamed(paths, 'paths'), ...found].filter((at) => !ofErrors.test(at))).toEqual([])
})

test('every kind of event is a webhook with a model of its own, and the stream is an operation', () => {
  const { paths, webhooks, components } = whole() as {
    paths: Record<string, Record<string, object>>
    webhooks: Record<string, { post: object }>
    components: { schemas: Record<string, object> }
  }
  expect(Object.keys(webhooks)).toEqual([...EVENT_KINDS, 'webhook.test'])
  const schema = { $ref: '#/components/schemas/CreditsLowEvent' }
  expect(webhooks['credits.low']?.post).toMatchObject({
    ...{ operationId: 'onCreditsLow', security: [] },
    requestBody: { content: { 'application/json': { schema } } },
  })
  expect(components.schemas['CreditsLowEvent']).toMatchObject({
    properties: { type: { const: 'credits.low' }, data: { $ref: '#/components/schemas/CreditsLow' } },
  })
  expect(paths['/v1/events']?.['get']).toMatchObject({
    parameters: [{ name: 'Last-Event-ID', in: 'header', required: false }],
    responses: { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } } },
  })
  expect(openApiDocument(table)['webhooks']).toBeUndefined()
})

test('a schema with a name is declared once and shared', () => {
  const named = z.string().meta({ id: 'NamedForTest' })
  const list = { ...table.listThings, params: z.object({}), query: z.object({}), response: z.array(named) }
  const document = openApiDocument({
    a: { ...list, path: '/v1/a' },
    b: { ...list, path: '/v1/b', response: z.object({ one: named }) },
  })
  expect(document['components']).toMatchObject({ schemas: { NamedForTest: { type: 'string' } } })
  expect(JSON.stringify(document).match(/"#\/components\/schemas\/NamedForTest"/g)).toHaveLength(2)
  expect(JSON.stringify(document)).not.toContain('$defs')
})

test('bodies of errors are named and shared; a coded one has one of the codes of its status', () => {
  const { paths, components } = openApiDocument(table) as {
    paths: Record<string, Record<string, { responses: Record<string, object> }>>
    components: { schemas: Record<string, object> }
  }
  const { 404: notFound, 429: tooMany } = paths['/v1/things/{kind}']?.['get']?.responses ?? {}
  const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
  expect(notFound).toMatchObject({ content: json('CodedNotFound') })
  expect(tooMany).toMatchObject({ content: json('TooManyRequests') })
  // No endpoint raises the last ones.
  const codes = ['NOT_FOUND', 'ADDRESSBOOK_ENTRY_NOT_FOUND', 'BUNDLE_NOT_FOUND', 'DELEGATE_NOT_FOUND']
  expect(components.schemas['CodedNotFound']).toMatchObject({
    properties: { error: { properties: { code: { enum: codes } } } },
  })
  const { 502: badGateway } = paths['/v1/things/{kind}']?.['patch']?.responses ?? {}
  expect(badGateway).toMatchObject({ content: { 'text/plain': { schema: { type: 'string' } } } })
})
