import { expect, test } from 'vitest'
import { memoryApp } from '../../test/memory-app.ts'
import { securityRoutes } from './security-txt.ts'

const serving = (contacts: readonly string[], now: string) =>
  memoryApp({
    endpoints: {},
    handlers: {},
    publicRoutes: securityRoutes(contacts, { now: () => Date.parse(now) }),
  })

test('lists the contacts of the operator, and expires half a year after the day of the request', async () => {
  const { app } = await serving(['mailto:security@example.com', 'https://example.com/report'], '2026-11-29T21:00:00Z')
  const { statusCode, headers, body } = await app.inject('/.well-known/security.txt')
  expect({ statusCode, type: headers['content-type'] }).toEqual({ statusCode: 200, type: 'text/plain; charset=utf-8' })
  expect(body).toBe(
    'Contact: mailto:security@example.com\nContact: https://example.com/report\nExpires: 2027-05-28T00:00:00Z\n',
  )
})

test('is missing without a contact', async () => {
  const { app } = await serving([], '2026-11-29T21:00:00Z')
  expect((await app.inject('/.well-known/security.txt')).statusCode).toBe(404)
})
