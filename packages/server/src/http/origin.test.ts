import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createOrigins } from './origin.ts'

const PROXY = '10.0.0.1'
const asked = (headers: Record<string, string>, remoteAddress = PROXY) =>
  ({ headers, socket: { remoteAddress } }) as unknown as FastifyRequest
const forwarded = { host: 'inside:8080', 'x-forwarded-host': 'api.example.com', 'x-forwarded-proto': 'https' }

test('the origin is that of the host, or of what a trusted proxy forwards', () => {
  const origins = createOrigins(undefined, [PROXY])
  expect(origins.of(asked({ host: 'Inside:8080' }))).toBe('http://inside:8080')
  expect(origins.of(asked(forwarded))).toBe('https://api.example.com')
  expect(origins.of(asked({ host: 'inside', forwarded: 'for=1.2.3.4;proto=https;host="a.example"' }))).toBe(
    'https://a.example',
  )
  expect(origins.of(asked(forwarded, '10.0.0.2'))).toBe('http://inside:8080')
})

test('a configured URL is the origin of every request', () => {
  const origins = createOrigins('https://api.example.com', true)
  expect(origins.of(asked({ host: 'other', 'x-forwarded-host': 'evil.example' }))).toBe('https://api.example.com')
})

test('only a configured or a loopback origin is known', () => {
  const isKnown = (origins: ReturnType<typeof createOrigins>, host: string) => origins.site(asked({ host })).isKnown
  const open = createOrigins(undefined)
  expect(['localhost:8080', '127.0.0.1', '[::1]:1', 'evil.example'].map((host) => isKnown(open, host))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(isKnown(createOrigins('https://api.example.com'), 'evil.example')).toBe(true)
})

test.each(['', 'a/b', 'a b', 'a"b', `${'a'.repeat(256)}`, 'a:1:2'])('a Host header of %j is refused', (host) => {
  const message = 'The Host header must name one host'
  expect(() => createOrigins('https://api.example.com').of(asked({ host }))).toThrow(message)
  expect(createOrigins(undefined).refusal(asked({ host }))?.message).toBe(message)
})

test.each([{ 'x-forwarded-proto': 'ftp' }, { 'x-forwarded-host': 'a/b' }])(
  'a proxy that forwards %j is refused',
  (more) => {
    const origins = createOrigins(undefined, true)
    expect(() => origins.of(asked({ host: 'inside', ...more }))).toThrow('must name one host and http or https')
  },
)
