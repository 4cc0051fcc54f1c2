import { once } from 'node:events'
import { createServer, request as httpGet, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { httpRequest, useProxy } from './http-client.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  useProxy(null)
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** Returns `127.0.0.1:port`. Cuts its connections after the test. */
async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Forwards requests and tunnels to this machine, whatever host they name. */
async function startProxy({ cutsSecond = false } = {}) {
  const asked: string[] = []
  const logins = new Set<string | undefined>()
  const note = (text: string, { headers }: IncomingMessage) => {
    asked.push(text)
    logins.add(headers['proxy-authorization'])
  }
  const used = new Set<Socket>()
  const server = createServer((incoming, response) => {
    if (cutsSecond && used.has(incoming.socket)) {
      asked.push('cut')
      incoming.socket.destroy()
      return
    }
    used.add(incoming.socket)
    const url = new URL(incoming.url ?? '')
    note(`${incoming.method} ${url.hostname}${url.pathname}`, incoming)
    const { port, pathname: path } = url
    const onward = httpGet({ host: '127.0.0.1', port, path, method: incoming.method, headers: incoming.headers })
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502)))
    incoming.pipe(onward)
  })
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    const [host, port] = (incoming.url ?? '').split(':')
    note(`CONNECT ${host}`, incoming)
    const onward = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(client).pipe(onward)
    })
    for (const socket of [client, onward]) socket.on('error', () => onward.destroy())
  })
  return { at: await listening(server), asked, logins }
}

const answering = (text: string) => createServer((_, response) => response.end(text))
const limits = { timeoutMs: 30_000, maxBytes: 1_000 }

test('a proxy gets every request, with its password, but those to hosts that are excepted', async () => {
  const [proxy, at] = [await startProxy(), await listening(answering('node'))]
  const port = at.split(':')[1]
  useProxy({ url: `http://me:p%40ss@${proxy.at}`, except: ['127.0.0.1', '.direct.invalid'] })
  const sent = { method: 'POST', body: '{}', ...limits } as const
  expect((await httpRequest({ url: `http://node.invalid:${port}/rpc`, ...sent })).body).toBe('node')
  expect((await httpRequest({ url: `http://${at}/rpc`, ...sent })).body).toBe('node')
  await expect(httpRequest({ url: `http://a.direct.invalid:${port}/`, ...sent })).rejects.toThrow('connection failed')
  expect(proxy.asked).toEqual(['POST node.invalid/rpc'])
  expect([...proxy.logins]).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`])
})

test('https is tunnelled: the proxy sees the host, and the handshake goes to the server', async () => {
  const first = Promise.withResolvers<number | undefined>()
  const tcp = createTcpServer((socket) =>
    socket
      .on('error', () => undefined)
      .once('data', (data) => {
        first.resolve(data[0])
        socket.destroy()
      }),
  )
  const [proxy, at] = [await startProxy(), await listening(tcp)]
  useProxy({ url: `http://${proxy.at}`, except: [] })
  const asking = httpRequest({ url: `https://node.invalid:${at.split(':')[1]}/secret-key`, ...limits })
  await expect(asking).rejects.toMatchObject({ reason: 'unavailable' })
  expect(proxy.asked).toEqual(['CONNECT node.invalid'])
  // A TLS record of a handshake.
  expect(await first.promise).toBe(0x16)
})

test('a proxy that closes its kept connection gets the request again, on another one', async () => {
  const [proxy, at] = [await startProxy({ cutsSecond: true }), await listening(answering('node'))]
  useProxy({ url: `http://${proxy.at}`, except: [] })
  const url = `http://node.invalid:${at.split(':')[1]}/`
  await httpRequest({ url, ...limits })
  expect((await httpRequest({ url, ...limits })).body).toBe('node')
  expect(proxy.asked).toEqual(['GET node.invalid/', 'cut', 'GET node.invalid/'])
})

test('a request with its own lookup, as of a webhook, never uses the proxy', async () => {
  const [proxy, at] = [await startProxy(), await listening(answering('receiver'))]
  useProxy({ url: `http://${proxy.at}`, except: [] })
  const url = `http://receiver.invalid:${at.split(':')[1]}/`
  const { body } = await httpRequest({
    url,
    ...limits,
    lookup: (_host, { all }, done) =>
      all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  })
  expect([body, proxy.asked]).toEqual(['receiver', []])
})

test('a proxy that is away is a fault of the request', async () => {
  const gone = createTcpServer()
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
  const { port } = gone.address() as AddressInfo
  gone.close()
  await once(gone, 'close')
  useProxy({ url: `http://127.0.0.1:${port}`, except: [] })
  for (const scheme of ['http', 'https']) {
    const asking = httpRequest({ url: `${scheme}://node.invalid/`, ...limits })
    await expect(asking).rejects.toMatchObject({ reason: 'unavailable', message: 'connection failed (ECONNREFUSED)' })
  }
})
