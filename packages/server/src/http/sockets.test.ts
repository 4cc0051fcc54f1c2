import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { endpoints } from '@coffer/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { memoryApp } from '../../test/memory-app.ts'
import type { AppOptions, Service } from './app.ts'

type Table = Pick<typeof endpoints, 'getCredits'>

/** More than the kernel buffers of an unread answer. */
const LARGE = Buffer.alloc(32_000_000)

const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})

async function serve(options: Partial<AppOptions<Table>> = {}): Promise<Service & { port: number }> {
  const { service, listen, addAccount } = await memoryApp<Table>({
    endpoints: { getCredits: endpoints.getCredits },
    handlers: { getCredits: () => 19033 },
    docs: false,
    publicRoutes: [{ path: '/large', read: () => ({ contentType: 'text/plain', body: LARGE, headers: {} }) }],
    ...options,
  })
  addAccount('caller')
  return { ...service, port: await listen() }
}

/** Sends this text, reads only on demand, and stays open for writing when the service ends it. */
async function say(port: number, text: string): Promise<Socket> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => undefined)
  clients.push(client)
  await once(client, 'connect')
  client.write(text)
  return client
}

/** All answers until the connection ends. */
async function read(client: Socket): Promise<string> {
  let answer = ''
  for await (const part of client) answer += String(part)
  return answer
}

const ask = async (port: number, text: string) => read(await say(port, text))
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as unknown

const credits = (headers: string, version = '1.1') =>
  `GET /v1/credits HTTP/${version}\r\nConnection: close\r\nAuthorization: Bearer caller\r\n${headers}\r\n`

describe('a client that takes nothing of its answer', () => {
  test('is let go of once nothing has moved for as long as it may', async () => {
    const service = await serve({ connectionLimits: { stallMs: 100 } })
    const unread = Array.from({ length: 5 }, () => say(service.port, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'))
    await Promise.all(unread)
    await expect.poll(service.connections.count).toBe(5)
    await service.connections.ended()
    expect(service.connections.count()).toBe(0)
  })

  test('is let go of although it has sent many requests at once', async () => {
    const service = await serve({ connectionLimits: { stallMs: 100 } })
    const many = credits('Host: x\r\n').replace('Connection: close\r\n', '').repeat(200_000)
    await say(service.port, many)
    await expect.poll(service.connections.count).toBe(1)
    await service.connections.ended()
  })

  test('one that waits for work to be done is not', async () => {
    const released = Promise.withResolvers<number>()
    const service = await serve({
      connectionLimits: { stallMs: 20 },
      handlers: { getCredits: () => released.promise },
    })
    const passed = once(service.app.server, 'timeout')
    const answer = ask(service.port, credits('Host: x\r\n'))
    await passed
    released.resolve(7)
    expect(bodyOf(await answer)).toBe(7)
  })

  test('nor is one that takes it slowly', async () => {
    const service = await serve({ connectionLimits: { stallMs: 2_000 } })
    const client = await say(service.port, 'GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    let received = 0
    for await (const part of client) {
      received += (part as Buffer).length
      await new Promise(setImmediate)
    }
    expect(received).toBeGreaterThan(LARGE.length)
  })
})

describe('connections', () => {
  const idle = (port: number) => say(port, '')

  test('of one address are accepted up to their limit, and again once one has ended', async () => {
    const { port, connections } = await serve({ connectionLimits: { perAddress: 3 } })
    const open = [await idle(port), await idle(port), await idle(port)]
    await expect.poll(connections.count).toBe(3)
    expect(await ask(port, credits('Host: x\r\n'))).toBe('')
    expect(connections.refused()).toBe(1)
    open[0]?.destroy()
    await expect.poll(connections.count).toBe(2)
    expect(await ask(port, credits('Host: x\r\n'))).toMatch(/^HTTP\/1.1 200 /)
  })

  test('of a trusted proxy are limited in total alone', async () => {
    const { port, connections } = await serve({
      trustProxy: ['127.0.0.0/8'],
      connectionLimits: { total: 4, perAddress: 1 },
    })
    for (let n = 1; n <= 4; n += 1) {
      await idle(port)
      await expect.poll(connections.count).toBe(n)
    }
    expect(await ask(port, credits('Host: x\r\n'))).toBe('')
    expect([connections.count(), connections.refused()]).toEqual([4, 1])
  })
})

describe('slow and refused requests', () => {
  test.each([
    'GET /v1/credits HTTP/1.1\r\nHost:',
    'POST /v1/credits HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    '',
  ])('what has not arrived in time is 408 and ends (%#)', async (partial) => {
    const { port, connections } = await serve({ connectionLimits: { receiveMs: 150 } })
    // Meanwhile, a path without a request body has refused it.
    const answers = await ask(port, partial)
    const answer = answers.slice(answers.lastIndexOf('HTTP/1.1'))
    expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*x-request-id: \S/)
    expect(bodyOf(answer)).toEqual({ error: 'Request Timeout', message: expect.any(String) })
    await connections.ended()
  })

  test.each([
    [`GET /v1/credits HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['nonsense\r\n\r\n', 400],
    ['GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ])('what the parser refuses is answered in our words (%#)', async (bytes, status) => {
    const answer = await ask((await serve()).port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*x-ratelimit-limit: 60`))
    expect(bodyOf(answer)).toEqual({ error: expect.any(String), message: expect.any(String) })
  })

  test('a refused client that neither reads nor leaves is let go of', async () => {
    const { port, connections } = await serve()
    await Promise.all(Array.from({ length: 20 }, () => say(port, 'nonsense\r\n\r\n')))
    await expect.poll(connections.count).toBeGreaterThan(0)
    await connections.ended()
  })
})

describe('a request that names no host, or several', () => {
  test.each([
    ['none', ''],
    ['two', 'Host: a.example\r\nHost: b.example\r\n'],
    ['one with a path', 'Host: a.example/path\r\n'],
    ['one that ends an attribute', 'Host: evil.example/"><script>\r\n'],
    ['one with user and password', 'Host: a@b.example\r\n'],
    ['an empty one', 'Host: \r\n'],
    ['an endless one', `Host: ${'a'.repeat(256)}\r\n`],
    ['a port that is none', 'Host: a.example:123456\r\n'],
  ])('is refused in the words of its route: %s', async (_what, host) => {
    const { port } = await serve()
    for (const version of ['1.0', '1.1']) {
      const answer = await ask(port, credits(host, version))
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
      expect(answer).toMatch(/\r\nx-ratelimit-remaining: 35\d\r\n[\s\S]*x-request-id: \S/)
      expect(bodyOf(answer)).toEqual({ error: 'Bad Request', message: 'The Host header must name one host' })
    }
    for (const path of ['/nothing', '/large']) {
      const answer = await ask(port, `GET ${path} HTTP/1.1\r\nConnection: close\r\n${host}\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nx-ratelimit-remaining: 5\d\r\n/)
    }
  })

  test.each(['a.example', 'A-1.example:8080', 'my_service:80', '192.0.2.1', '[2001:db8::1]:8080'])(
    '%s is one',
    async (host) => {
      const { port } = await serve()
      expect(bodyOf(await ask(port, credits(`Host: ${host}\r\n`)))).toBe(19033)
    },
  )
})

test.each(['Expect: the-unexpected\r\n', 'Expect: 100-continue\r\n'])(
  '%s takes nothing away from an answer',
  async (expectation) => {
    const { port } = await serve()
    const answer = await ask(port, credits(`Host: x\r\n${expectation}`))
    expect(answer).toMatch(/HTTP\/1.1 200 [\s\S]*x-request-id: \S/)
    expect(answer).toMatch(/\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n/)
    expect(answer.endsWith('\r\n\r\n19033')).toBe(true)
  },
)

describe('forwarded headers', () => {
  const icons = async (headers: string, trustProxy: boolean, host = 'inner:8080') => {
    let seen: string | undefined
    const { port } = await serve({
      trustProxy,
      handlers: {
        getCredits: ({ origin }) => {
          seen = origin
          return 1
        },
      },
    })
    const answer = await ask(port, credits(`Host: ${host}\r\n${headers}`))
    return { status: Number(answer.split(' ')[1]), origin: seen }
  }

  test('name the origin where the proxy is trusted, and nothing where it is not', async () => {
    const forwarded = 'X-Forwarded-Host: api.example\r\nX-Forwarded-Proto: https\r\n'
    expect(await icons(forwarded, true)).toEqual({ status: 200, origin: 'https://api.example' })
    expect(await icons(forwarded, false)).toEqual({ status: 200, origin: 'http://inner:8080' })
  })

  test.each([
    ['nas.example:443', 'X-Forwarded-Proto: https', 'https://nas.example'],
    ['inner', 'X-Forwarded-Host: nas.example:80\r\nX-Forwarded-Proto: http', 'http://nas.example'],
    ['inner', 'X-Forwarded-Host: nas.example:8443\r\nX-Forwarded-Proto: https', 'https://nas.example:8443'],
    ['inner', 'X-Forwarded-Host: nas.example:443\r\nX-Forwarded-Proto: http', 'http://nas.example:443'],
    ['inner', 'X-Forwarded-Host: [2001:DB8::1]:443\r\nX-Forwarded-Proto: https', 'https://[2001:db8::1]'],
    ['inner', 'Forwarded: HOST="NAS.Example:443";Proto=HTTPS', 'https://nas.example'],
  ])('name one origin however they write it: %s, %s', async (host, headers, origin) => {
    expect(await icons(`${headers}\r\n`, true, host)).toEqual({ status: 200, origin })
  })

  test.each(['X-Forwarded-Host: "><svg', 'X-Forwarded-Proto: javascript', 'X-Forwarded-Host: a.example/path'])(
    'of a trusted proxy are refused where they are no origin: %s',
    async (header) => {
      expect(await icons(`${header}\r\n`, true)).toEqual({ status: 400, origin: undefined })
      expect(await icons(`${header}\r\n`, false)).toEqual({ status: 200, origin: 'http://inner:8080' })
    },
  )
})
