import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSecret, signedHeaders } from './message.ts'

const body = '{"type":"sync.ended","data":{"label":"ü€"}}'
const message = { id: 'evt_17', timestamp: Math.floor(Date.now() / 1_000), body }

test("the specification's own library verifies what is signed, by each of the secrets", () => {
  const secrets = [newSecret(), newSecret()]
  const headers = signedHeaders(message, secrets)
  for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
})

test('it refuses another secret, body, id or time', () => {
  const secret = newSecret()
  const headers = signedHeaders(message, [secret])
  const verify = (text: string, changed: Record<string, string>, by = secret) =>
    new Webhook(by).verify(text, { ...headers, ...changed })
  expect(() => verify(body, {}, newSecret())).toThrow('No matching signature found')
  expect(() => verify(`${body} `, {})).toThrow('No matching signature found')
  expect(() => verify(body, { 'webhook-id': 'evt_18' })).toThrow('No matching signature found')
  expect(() => verify(body, { 'webhook-timestamp': String(message.timestamp - 1) })).toThrow(
    'No matching signature found',
  )
})
