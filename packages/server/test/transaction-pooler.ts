import { createServer, type Socket } from 'node:net'
import pg from 'pg'

type Backend = { socket: Socket; client: pg.Client }

const SSL_REQUEST = 80_877_103
const READY = 'Z'.charCodeAt(0)
const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
/** AuthenticationOk, and ready for the first statement. */
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])

/**
 * Transaction mode: a client gets a free server process for one transaction, the last one returned. Accepts every
 * client.
 */
export async function startTransactionPooler(databaseUrl: string, backends = 2) {
  const free: Backend[] = []
  const waiting: ((backend: Backend) => void)[] = []
  for (let i = 0; i < backends; i += 1) free.push(await openBackend(databaseUrl))
  const all = [...free]
  const giveBack = (backend: Backend) => {
    const next = waiting.shift()
    if (next) next(backend)
    else free.push(backend)
  }
  /** Replaces backends that the server ended. */
  const take = async (): Promise<Backend> => {
    const backend = free.pop() ?? (await new Promise<Backend>((resolve) => waiting.push(resolve)))
    if (!backend.socket.destroyed) return backend
    const fresh = await openBackend(databaseUrl)
    all.push(fresh)
    return fresh
  }
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.on('error', () => undefined)
    serve(client, take, giveBack)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const url = new URL(databaseUrl)
  return {
    url: `postgres://${url.username}:any@127.0.0.1:${port}${url.pathname}`,
    async stop() {
      for (const client of clients) client.destroy()
      for (const { socket } of all) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Past its login. */
async function openBackend(url: string): Promise<Backend> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection
  socket.removeAllListeners('data')
  return { socket, client }
}

function serve(client: Socket, take: () => Promise<Backend>, giveBack: (backend: Backend) => void): void {
  let started = false
  let leased: Promise<Backend> | undefined
  client.on('data', (data) => {
    if (!started) {
      if (data.readInt32BE(4) === SSL_REQUEST) client.write('N')
      else {
        started = true
        client.write(WELCOME)
      }
      return
    }
    // Terminate: the server process stays.
    if (data[0] === 'X'.charCodeAt(0)) {
      client.end()
      return
    }
    leased ??= take().then((backend) => {
      readUntilIdle(backend.socket, client, () => {
        leased = undefined
        giveBack(backend)
      })
      return backend
    })
    void leased.then(({ socket }) => socket.write(data))
  })
}

function readUntilIdle(backend: Socket, client: Socket, idle: () => void): void {
  let rest = Buffer.alloc(0)
  const onData = (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1)
      const whole = rest.subarray(0, length)
      rest = rest.subarray(length)
      const isIdle = whole[0] === READY && whole[5] === 'I'.charCodeAt(0)
      if (isIdle) {
        backend.off('data', onData)
        idle()
      }
      client.write(whole)
    }
  }
  backend.on('data', onData)
}
