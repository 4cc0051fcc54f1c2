import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { type HttpRequest, httpRequest, limitReceiving } from './http-client.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Returns the server's URL, without a path. */
async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const limits = { timeoutMs: 5_000, maxBytes: 1_000 }
const get = (url: string, more: Partial<HttpRequest> = {}) => httpRequest({ url, ...limits, ...more })

test('sends a body of any letters and answers status, headers and text', async () => {
  const at = await serve((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      response.writeHead(201, { 'Retry-After': '7' })
      response.end(`${incoming.method} ${incoming.headers['content-type']} ${Buffer.concat(parts).toString('utf8')}`)
    })
  })
  const sent = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'naïve €' } as const
  const { status, headers, body } = await get(`http://${at}/`, sent)
  expect([status, headers['retry-after'], body]).toEqual([201, '7', 'POST text/plain naïve €'])
})

test('the user part of a URL is sent as basic authorization', async () => {
  const at = await serve((incoming, response) => response.end(incoming.headers.authorization))
  const { body } = await get(`http://me:p%40ss@${at}/`)
  expect(body).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('reads what is compressed by %s, up to the limit of what it unfolds to', async (encoding, compress) => {
  const at = await serve((incoming, response) => {
    expect(incoming.headers['accept-encoding']).toContain(encoding)
    response.setHeader('content-encoding', encoding)
    response.end(compress(incoming.url === '/long' ? 'x'.repeat(100_000) : 'short'))
  })
  expect((await get(`http://${at}/short`)).body).toBe('short')
  await expect(get(`http://${at}/long`)).rejects.toMatchObject({ message: 'the answer is longer than 1000 bytes' })
})

test('answers with too many bytes together: the largest is given up, a small one is not', async () => {
  limitReceiving(3_000_000)
  const sent = Promise.withResolvers<void>()
  const at = await serve(async (incoming, response) => {
    if (incoming.url === '/small') {
      response.write('{"small":')
      await sent.promise
      response.end('true}')
      return
    }
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    for (let chunk = 0; chunk < 100 && !gone.signal.aborted; chunk += 1) {
      if (response.write('x'.repeat(100_000))) continue
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
    }
    response.end()
  })
  const small = get(`http://${at}/small`)
  const large = Array.from({ length: 3 }, () => get(`http://${at}/large`, { maxBytes: 1_000_000_000 }))
  const outcomes = await Promise.allSettled(large)
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    expect(outcome.reason).toMatchObject({ reason: 'unavailable', message: 'too many bytes of answers arrive at once' })
  }
  sent.resolve()
  expect((await small).body).toBe('{"small":true}')
  limitReceiving(128_000_000)
})

test('letters that a chunk cuts in two are read whole', async () => {
  const bytes = Buffer.from('μέγα 🪙 '.repeat(50))
  const at = await serve(async (_incoming, response) => {
    for (const byte of bytes) response.write(Buffer.of(byte))
    response.end()
  })
  expect((await get(`http://${at}/`, { maxBytes: 100_000 })).body).toBe(String(bytes))
})

test('a redirect is an answer', async () => {
  const at = await serve((_incoming, response) => response.writeHead(302, { location: '/other' }).end())
  expect((await get(`http://${at}/`)).status).toBe(302)
})

test.each<[string, RequestListener]>([
  ['says nothing', () => undefined],
  ['stops in the middle', (_incoming, response) => response.write('half')],
])('the time limit ends an exchange with a server that %s', async (_what, handler) => {
  const at = await serve(handler)
  await expect(get(`http://${at}/`, { timeoutMs: 100 })).rejects.toMatchObject({
    reason: 'timeout',
    message: 'no answer within 100 ms',
  })
})

test.each<[string, RequestListener]>([
  ['closes at once', (incoming) => incoming.socket.destroy()],
  [
    'closes in the middle',
    (incoming, response) =>
      response.writeHead(200, { 'content-length': '9' }).write('half', () => incoming.socket.destroy()),
  ],
  [
    'sends what is not compressed as it says',
    (_incoming, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no'),
  ],
])('a server that %s is unavailable, and nothing of its URL is revealed', async (_what, handler) => {
  const at = await serve(handler)
  const failure = await get(`http://${at}/secret-key`).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    reason: 'unavailable',
    message: expect.stringMatching(/^connection failed \(\w+\)$/),
  })
})

test.each([1, 3])(
  'kept connections that the server closes as the next request is sent are no failure (%i)',
  async (kept) => {
    const seen = new Set<unknown>()
    let arrived = 0
    const { promise: allArrived, resolve } = Promise.withResolvers<void>()
    const at = await serve((incoming, response) => {
      const { socket } = incoming
      // The second request over a connection finds it closed.
      if (seen.has(socket)) return void socket.destroy()
      seen.add(socket)
      arrived += 1
      if (arrived === kept) resolve()
      void allArrived.then(() => response.end('fine'))
    })
    await Promise.all(Array.from({ length: kept }, () => get(`http://${at}/`)))
    expect((await get(`http://${at}/`)).body).toBe('fine')
    expect(seen.size).toBe(kept + 1)
  },
)

test.each(['not a URL', 'ftp://127.0.0.1/', ''])('%s is no URL to ask', async (url) => {
  await expect(get(url)).rejects.toMatchObject({ reason: 'not-allowed', message: 'the configured URL is not valid' })
})
