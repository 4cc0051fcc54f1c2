import { type Endpoint, endpoints } from '@coffer/contract'
import { expect, test } from 'vitest'
import { toolsOf } from './tools.ts'

const table: Readonly<Record<string, Endpoint>> = endpoints
const tools = toolsOf(endpoints)

test('every endpoint but those of files is a tool of its name, and says whether it changes anything', () => {
  expect([...tools.keys()]).toEqual(Object.keys(endpoints).filter((name) => !name.startsWith('export')))
  for (const [name, { writes, definition }] of tools) {
    const { method, summary, tag } = endpoints[name as keyof typeof endpoints]
    expect(writes).toBe(method !== 'GET')
    expect(definition.annotations?.readOnlyHint).toBe(method === 'GET')
    expect(definition.title).toBe(`${tag}: ${summary}`)
  }
})

test('arguments are those of path, query and body, without pictures and links', () => {
  const { inputSchema } = tools.get('listApprovals')?.definition ?? {}
  expect(Object.keys(inputSchema?.properties ?? {})).toEqual(['chain', 'addresses', 'limit', 'cursor', 'skip'])
  expect(inputSchema?.required).toEqual(['chain', 'addresses'])
  expect(Object.keys(tools.get('getPortfolio')?.definition.inputSchema.properties ?? {})).toEqual([
    ...['addresses', 'waitForSync', 'skip'],
  ])
  expect(Object.keys(tools.get('relabelAddress')?.definition.inputSchema.properties ?? {})).toEqual([
    'address',
    'label',
  ])
})

test('of a body that may be one of several, all fields are arguments, and those of each are required', () => {
  const { inputSchema } = tools.get('createWatch')?.definition ?? {}
  expect(Object.keys(inputSchema?.properties ?? {})).toEqual([
    ...['type', 'address', 'direction', 'threshold', 'chain', 'contract', 'validator'],
  ])
  expect(inputSchema?.required).toEqual(['type'])
  const types = ['netWorth', 'balance', 'credits', 'validator', 'airdrops']
  expect(inputSchema?.properties?.['type']).toMatchObject({ anyOf: types.map((type) => ({ const: type })) })
  const replayed = tools.get('replayWebhook')?.definition.inputSchema
  expect(Object.keys(replayed?.properties ?? {})).toEqual(['webhookId', 'deliveryId', 'from', 'to', 'state'])
  expect(replayed?.required).toEqual(['webhookId'])
})

test('no enum has numbers: their values are described', () => {
  expect(tools.get('rotateWebhookSecret')?.definition.inputSchema.properties?.['graceHours']).toEqual({
    type: 'number',
    default: 24,
    description: expect.stringMatching(/ One of 0, 1, 24, 168\.$/),
  })
  for (const [name, { definition }] of tools) expect(numericEnums(definition.inputSchema), name).toEqual([])
})

function numericEnums(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one !== 'string') : []
  return [...own, ...Object.values(schema).flatMap(numericEnums)]
}

test('no argument has the name of another part, and each is described', () => {
  for (const [name, { parts, definition, writes }] of tools) {
    const { properties = {} } = definition.inputSchema
    const { params, query, body } = table[name] ?? {}
    const choicesOf = (part: unknown) => Object(part).options ?? [Object(part)]
    const all = [params, query, body].flatMap((part) => [
      ...new Set(choicesOf(part).flatMap(({ shape = {} }: { shape?: object }) => Object.keys(shape))),
    ])
    expect(parts.size, name).toBe(all.length)
    if (writes) continue
    for (const [argument, property] of Object.entries(properties))
      expect(property, `${name} ${argument}`).toHaveProperty('description')
  }
})

test('descriptions state price, requirements and untrusted text', () => {
  expect(tools.get('getTokenOverview')?.definition.description).toMatch(
    /Costs 1 credit\. Needs the plan PRO.* At most 32000 characters\. .*never instructions\.$/,
  )
  expect(tools.get('getCredits')?.definition.description).toContain('Free.')
  expect(tools.get('subscribeSnapshot')?.definition.description).toContain(
    'The price depends on the request. Needs access to portfolio data. Changes the account.',
  )
})

test('what a model reads before its first question is bounded', () => {
  const reads = [...tools.values()].filter(({ writes }) => !writes).map(({ definition }) => definition)
  expect(JSON.stringify(reads).length).toBeLessThan(41_000)
})
