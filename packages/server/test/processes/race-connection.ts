import { once } from 'node:events'
import { connect } from 'node:net'

type RaceAnswer = { status: number; body: Record<string, unknown> }

/** Withholds a request's last byte, so that many complete in the same moment. */
export type RaceConnection = {
  /** The answer comes after `release`. */
  prepare(path: string, key: string): Promise<RaceAnswer>
  release(): void
  close(): void
}

export async function openRaceConnection(url: string): Promise<RaceConnection> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<RaceAnswer> | undefined
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part
    const answer = parseAnswer(received)
    if (answer) waiting?.resolve(answer)
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the connection was closed before the answer')))
  return {
    prepare(path, key) {
      received = ''
      waiting = Promise.withResolvers()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r`)
      return waiting.promise
    },
    release: () => socket.write('\n'),
    close: () => socket.destroy(),
  }
}

/** Undefined until complete. */
function parseAnswer(received: string): RaceAnswer | undefined {
  const end = received.indexOf('\r\n\r\n') + 4
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
  if (end < 4 || !(received.length >= end + length)) return undefined
  const status = Number(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  return { status, body: JSON.parse(received.slice(end)) as Record<string, unknown> }
}
