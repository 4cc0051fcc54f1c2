import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { createConnections } from './connections.ts'

const logger = createLogger({ level: 'silent' })
const limits = { total: 2, perAddress: 10, receiveMs: 1_000, stallMs: 1_000 }

let server: Server
afterEach(() => server.close())

async function listening() {
  server = createServer()
  const connections = createConnections(limits, false, logger)
  connections.guard(server as never)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return socket
  }
  return { connections, open }
}

test('more than the total are refused and counted, and the end of the last is awaited', async () => {
  const { connections, open } = await listening()
  await connections.ended()
  const sockets = [await open(), await open()]
  await expect.poll(connections.count).toBe(2)
  await once(await open(), 'close')
  expect([connections.count(), connections.refused()]).toEqual([2, 1])
  const ended = connections.ended()
  sockets[0]?.destroy()
  await expect.poll(connections.count).toBe(1)
  connections.destroyAll()
  await ended
  expect(connections.count()).toBe(0)
})
