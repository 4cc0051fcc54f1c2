import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { defineEndpoints } from '@coffer/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryApp } from '../../test/memory-app.ts'

const table = defineEndpoints({
  file: {
    method: 'GET',
    path: '/v1/file',
    summary: 'Get a file',
    tag: 'Files',
    status: 200,
    cost: 3,
    bucket: 'default',
    requires: 'key',
    errors: 'titled',
    streams: ['text/csv'],
    response: z.string(),
  },
})

const MEBIBYTE = 1_048_576

/** A service with a file of these parts. Records its callers and calls. */
async function serve(parts: () => AsyncGenerator<string, void, undefined>, complete: { isComplete?: boolean } = {}) {
  const used: [status: number, credits: number][] = []
  const memory = await memoryApp({
    endpoints: table,
    usage: { route: () => (_, status, credits) => void used.push([status, credits]) },
    handlers: { file: () => ({ type: 'text/csv' as const, name: 'x.csv', parts: parts(), ...complete }) },
  })
  const { service } = memory
  const port = await memory.listen()
  const { authorization } = memory.addAccount('caller', { credits: 5 })
  const ask = async (headers = { authorization }) => {
    const request = get({ port, path: '/v1/file', headers, agent: false })
    // The response reports it as well.
    request.on('error', () => undefined)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }
  const settled = async () => {
    await service.load.idle()
    return { money: memory.moneyOf('caller'), used }
  }
  return { service, memory, port, authorization, ask, settled }
}

const PAID = { money: { available: 2, held: 0, posted: 3, openHolds: 0 }, used: [[200, 3]] }
const FREE = { available: 5, held: 0, posted: 0, openHolds: 0 }

test('a file comes in chunks, with its type and name, and is paid for', async () => {
  const { ask, settled } = await serve(async function* () {
    yield 'a,b\r\n'
    yield '1,2\r\n'
  })
  const response = await ask()
  expect([response.statusCode, await text(response)]).toEqual([200, 'a,b\r\n1,2\r\n'])
  expect(response.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="x.csv"',
    'transfer-encoding': 'chunked',
    'cache-control': 'no-store',
    'x-ratelimit-limit': '360',
  })
  expect(await settled()).toEqual(PAID)
})

test.each([
  [{ isComplete: true }, 'true'],
  [{ isComplete: false }, 'false'],
  [{}, undefined],
])('a file says whether it is whole: %j', async (complete, header) => {
  const { ask } = await serve(async function* () {
    yield 'a\r\n'
  }, complete)
  const response = await ask()
  await text(response)
  expect(response.headers['x-data-complete']).toBe(header)
})

test('what fails before the first part is refused as ever, and costs nothing', async () => {
  const { ask, settled } = await serve(async function* () {
    yield await Promise.reject<string>(new Error('postgres://secret'))
  })
  const response = await ask()
  const body = await text(response)
  expect([response.statusCode, JSON.parse(body)]).toEqual([
    500,
    { error: 'Internal Server Error', message: 'Something went wrong on our side' },
  ])
  expect(await settled()).toEqual({ money: FREE, used: [[500, 0]] })
})

test('a fault in the middle resets the connection, and costs nothing', async () => {
  const { ask, settled } = await serve(async function* () {
    yield 'x'.repeat(MEBIBYTE)
    throw new Error('postgres://secret')
  })
  const response = await ask()
  await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await settled()).toEqual({ money: FREE, used: [[500, 0]] })
})

test('a reader of HTTP/1.0, to whom the end of the connection is the end of the file, sees the fault as well', async () => {
  const { port, authorization } = await serve(async function* () {
    yield 'x'
    throw new Error('no')
  })
  const socket = connect(port, '127.0.0.1')
  const failed = once(socket, 'error')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(`GET /v1/file HTTP/1.0\r\nHost: x.example\r\nAuthorization: ${authorization}\r\n\r\n`)
  const ended = once(socket, 'end').then(() => received)
  expect(await Promise.race([failed, ended])).toMatchObject([{ code: 'ECONNRESET' }])
})

test('nothing is made ahead of a slow reader but what waits to be sent', async () => {
  let made = 0
  let most = 0
  let read = 0
  const { ask } = await serve(async function* () {
    for (; made < 64; made += 1) {
      most = Math.max(most, made - Math.floor(read / MEBIBYTE))
      yield 'x'.repeat(MEBIBYTE)
    }
  })
  for await (const chunk of await ask()) {
    read += (chunk as Buffer).length
    // Lets the server run as far as it can.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect([made, read]).toEqual([64, 64 * MEBIBYTE])
  // In addition to the waiting part, sockets hold some.
  expect(most).toBeLessThan(24)
})

test('a reader that leaves stays charged, and the file is made no further', async () => {
  const ended = Promise.withResolvers<void>()
  const { ask, settled } = await serve(async function* () {
    try {
      for (;;) yield 'x'.repeat(MEBIBYTE)
    } finally {
      ended.resolve()
    }
  })
  const response = await ask()
  response.destroy()
  await ended.promise
  expect(await settled()).toEqual(PAID)
})

test('a service that shuts down lets a file end for as long as it can, then breaks it off', async () => {
  const begun = Promise.withResolvers<void>()
  const { service, ask, settled } = await serve(async function* () {
    yield 'x'
    begun.resolve()
    await new Promise(() => undefined)
  })
  const response = await ask()
  const whole = text(response)
  await begun.promise
  expect(service.load.inFlight()).toBe(1)
  service.deadlines.expireAll()
  await expect(whole).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await settled()).money).toEqual(FREE)
})

test('an account has three files at once, and a process twelve; what is refused costs nothing', async () => {
  const release = Promise.withResolvers<void>()
  const { ask, memory } = await serve(async function* () {
    yield 'a'
    await release.promise
  })
  const callers = Array.from({ length: 5 }, (_, i) => memory.addAccount(`files${i}`, { credits: 100 }))
  const open: IncomingMessage[] = []
  for (const caller of callers.slice(0, 4)) {
    for (let i = 0; i < 3; i += 1) open.push(await ask(caller))
    if (open.length > 3) continue
    const refused = await ask(caller)
    expect([refused.statusCode, JSON.parse(await text(refused)), refused.headers['retry-after']]).toEqual([
      429,
      {
        error: 'Too Many Requests',
        message: 'This account already downloads 3 files; try again when one has finished',
        retry_after: 10,
        retryAfter: 10,
      },
      '10',
    ])
  }
  const full = await ask(callers[4])
  expect([full.statusCode, JSON.parse(await text(full)).message]).toEqual([503, 'Too many files are being downloaded'])
  release.resolve()
  expect(await Promise.all(open.map((response) => text(response)))).toEqual(open.map(() => 'a'))
  expect(callers.map((_, i) => memory.moneyOf(`files${i}`).posted)).toEqual([9, 9, 9, 9, 0])
  expect(await text(await ask(callers[4]))).toBe('a')
})
