import type { Server, Socket } from 'node:net'
import { callerNetwork } from '../lib/caller-network.ts'
import type { Logger } from '../lib/logger.ts'
import { networkMatcher } from '../lib/public-network.ts'
import { createSampledWarn } from '../lib/sampled-log.ts'

export type ConnectionLimits = {
  total: number
  /** IPv6: per /64. Trusted proxies are exempt. */
  perAddress: number
  receiveMs: number
  /** Limit for reading nothing of an answer; may take twice as long. */
  stallMs: number
}

export type Connections = ReturnType<typeof createConnections>

export function createConnections(
  { total, perAddress, stallMs }: ConnectionLimits,
  trustProxy: boolean | readonly string[],
  logger: Logger,
) {
  const open = new Set<Socket>()
  const perNetwork = new Map<string, number>()
  const isProxy = proxyMatcher(trustProxy)
  const warn = createSampledWarn(logger)
  let refusals = 0
  let ended: PromiseWithResolvers<void> | undefined

  function accept(socket: Socket): void {
    const network = callerNetwork(socket.remoteAddress ?? '')
    const ofNetwork = perNetwork.get(network) ?? 0
    const isFull = ofNetwork >= perAddress && !isProxy(socket.remoteAddress ?? '')
    if (open.size >= total || isFull) {
      refuse(socket, isFull ? 'COFFER_MAX_CONNECTIONS_PER_ADDRESS' : 'COFFER_MAX_CONNECTIONS')
      return
    }
    open.add(socket)
    perNetwork.set(network, ofNetwork + 1)
    socket.once('close', () => leave(socket, network))
  }

  function refuse(socket: Socket, setting: string): void {
    refusals += 1
    warn(setting, { open: open.size }, `connection refused: ${setting} is reached; raise it for legitimate clients`)
    socket.destroy()
  }

  function leave(socket: Socket, network: string): void {
    open.delete(socket)
    const left = (perNetwork.get(network) ?? 0) - 1
    if (left > 0) perNetwork.set(network, left)
    else perNetwork.delete(network)
    if (open.size > 0) return
    ended?.resolve()
    ended = undefined
  }

  /** Keeps a socket whose answer is still computed. An idle keep-alive connection has another timeout. */
  function endStalled(socket: Socket): void {
    if (socket.writableLength > 0 || socket.timeout !== stallMs) socket.destroy()
  }

  return {
    guard(server: Server): void {
      server.on('connection', accept)
      server.on('timeout', endStalled)
    },
    count: () => open.size,
    refused: () => refusals,
    async ended(): Promise<void> {
      if (open.size === 0) return
      ended ??= Promise.withResolvers()
      await ended.promise
    },
    destroyAll(): void {
      for (const socket of open) socket.destroy()
    },
  }
}

export function proxyMatcher(trustProxy: boolean | readonly string[]): (address: string) => boolean {
  return typeof trustProxy === 'boolean' ? () => trustProxy : networkMatcher(trustProxy)
}
