import { expect, test } from 'vitest'
import { readProxy } from './proxy-settings.ts'

test('a proxy keeps its password hidden, and never serves this machine', () => {
  expect(readProxy({})).toBeNull()
  const proxy = readProxy({ COFFER_HTTP_PROXY: 'http://me:hush@proxy:3128', COFFER_NO_PROXY: 'node.internal, .lan' })
  expect(proxy?.url.reveal()).toBe('http://me:hush@proxy:3128')
  expect(JSON.stringify(proxy)).not.toContain('hush')
  expect(proxy?.except).toEqual(['localhost', '127.0.0.1', '[::1]', 'node.internal', '.lan'])
})

test.each([
  [{ COFFER_HTTP_PROXY: 'socks5://proxy:1080' }, 'COFFER_HTTP_PROXY is not a URL that begins with http:// or https://'],
  [{ COFFER_NO_PROXY: 'node.internal' }, 'COFFER_NO_PROXY is set, but COFFER_HTTP_PROXY is not'],
])('refuses %j', (env, message) => {
  expect(() => readProxy(env)).toThrow(message)
})
