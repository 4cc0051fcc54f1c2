import { BlockList, isIP, type Server, type Socket } from 'node:net'
import { callerNetwork } from '../lib/caller-network.ts'
import type { Logger } from '../lib/logger.ts'
import { createSampledWarn } from '../lib/sampled-log.ts'

export type ConnectionLimits = {
  total: number
  /** IPv6: per /64. Trusted proxies are exempt. */
  perAddress: number
  receiveMs: number
  /** Limit for reading nothing of an answer. Node checks at this interval, so it may take twice as long. */
  stallMs: number
}

export type Connections = ReturnType<typeof createConnections>

export function createConnections({
  limits: { total, perAddress, stallMs },
  trustProxy,
  logger,
}: {
  limits: ConnectionLimits
  trustProxy: boolean | readonly string[]
  logger: Pick<Logger, 'warn'>
}) {
  const open = new Set<Socket>()
  const perNetwork = new Map<string, number>()
  const isProxy = proxyMatcher(trustProxy)
  const warn = createSampledWarn(logger)
  let refusals = 0
  let whenEnded: (() => void)[] = []

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
    const resolvers = whenEnded
    whenEnded = []
    for (const resolve of resolvers) resolve()
  }

  /**
   * Keeps a socket whose answer is still computed. Another timeout than `stallMs` belongs to an idle keep-alive
   * connection.
   */
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
    ended: () => (open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void whenEnded.push(resolve))),
    destroyAll(): void {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Proxies carry the connections of many callers. */
export function proxyMatcher(trustProxy: boolean | readonly string[]): (address: string) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy
  const list = new BlockList()
  for (const range of trustProxy) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
