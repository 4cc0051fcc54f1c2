import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { httpRequest } from './http-client.ts'
import { createReach } from './public-network.ts'

const REFUSED = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1'],
  '255.255.255.255',
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::7f00:1', 'fc00::1', 'fd00:ec2::254'],
  ...['fe80::1', 'ff02::1', '2001:db8::1', '2001::1', '2002:7f00:1::1', '3fff::1'],
]
const PUBLIC = ['8.8.8.8', '100.63.255.255', '172.32.0.1', '192.0.1.1', '2606:4700::1111', '2a00:1450:4001::1']
/** URL spellings of 127.0.0.1. */
const SPELLINGS = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', '[::1]', '[::ffff:7f00:1]']

const reach = createReach([])
const urlOf = (address: string) => new URL(`https://${address.includes(':') ? `[${address}]` : address}/`)

/** Result of resolving a name with these addresses. */
const lookUp = (addresses: readonly string[], allowed: readonly string[] = [], protocol = 'https:') =>
  new Promise<string>((resolve) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    createReach(allowed, (_, __, done) => done(null, found)).lookup(protocol)(
      'name.test',
      { all: true },
      (error, answer) => resolve(error ? error.message : JSON.stringify(answer)),
    )
  })

test.each(REFUSED)('%s is refused, written and looked up', async (address) => {
  expect(() => reach.check(urlOf(address))).toThrow('not of the public internet')
  expect(await lookUp([address])).toContain('not of the public internet')
  // One public address does not compensate for it.
  expect(await lookUp(['8.8.8.8', address])).toContain('not of the public internet')
})

test.each(PUBLIC)('%s is reached', async (address) => {
  expect(() => reach.check(urlOf(address))).not.toThrow()
  expect(await lookUp([address])).toContain(address)
})

test.each(SPELLINGS)('the spelling %s does not help', (host) => {
  expect(() => reach.check(new URL(`https://${host}/`))).toThrow('not of the public internet')
})

test('networks that the operator allows are reached, by http too, and no others', async () => {
  const own = createReach(['10.0.0.0/8', 'fd00::1'])
  expect(() => own.check(new URL('http://10.9.9.9/'))).not.toThrow()
  expect(() => own.check(new URL('http://[fd00::1]/'))).not.toThrow()
  expect(() => own.check(new URL('http://[fd00::2]/'))).toThrow('not of the public internet')
  expect(await lookUp(['10.9.9.9'], ['10.0.0.0/8'])).toContain('10.9.9.9')
  expect(await lookUp(['11.0.0.1', '127.0.0.1'], ['10.0.0.0/8'])).toContain('not of the public internet')
  expect(() => reach.check(new URL('http://example.com/'))).toThrow('https')
})

test('clear text reaches the networks that the operator allows, and nothing else', async () => {
  const own = createReach(['10.0.0.0/8'])
  const clear = (addresses: readonly string[]) => lookUp(addresses, ['10.0.0.0/8'], 'http:')
  for (const address of PUBLIC) {
    const { host } = urlOf(address)
    expect(() => own.check(new URL(`http://${host}/`))).toThrow('https')
    expect(() => own.check(new URL(`https://${host}/`))).not.toThrow()
    expect(await clear([address])).toContain('https')
    expect(await clear(['10.9.9.9', address])).toContain('https')
  }
  expect(() => own.check(new URL('http://inner.example/'))).not.toThrow()
  expect(await clear(['10.9.9.9'])).toContain('10.9.9.9')
  expect(await clear(['127.0.0.1'])).toContain('not of the public internet')
})

test('a name is looked up once, and the connection goes to what was checked', async () => {
  const server = createServer((request, response) => response.end(request.socket.localAddress)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.on('listening', resolve))
  const { port } = server.address() as AddressInfo
  // Allowed at first, then another address for each look-up: DNS rebinding.
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
  let looks = 0
  const rebound = createReach(['127.0.0.1'], (_, __, done) => {
    done(null, [{ address: answers[looks] ?? '', family: 4 }])
    looks += 1
  })
  const ask = () =>
    httpRequest({
      url: `http://rebound.test:${port}/`,
      timeoutMs: 5_000,
      maxBytes: 100,
      lookup: rebound.lookup('http:'),
    })
  expect(await ask()).toMatchObject({ status: 200, body: '127.0.0.1' })
  expect(looks).toBe(1)
  // No connection is kept: the next request resolves again, and is refused.
  await expect(ask()).rejects.toThrow('not of the public internet')
  expect(looks).toBe(2)
  server.close()
})
