import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Can be cut under open connections and led to another service. */
export type Relay = {
  baseUrl: string
  /** Cuts all connections. New ones go to `to`, or are cut without it. */
  lead(to: string | undefined): void
  stop(): Promise<void>
}

export async function startRelay(to: string): Promise<Relay> {
  const sockets = new Set<Socket>()
  let target: string | undefined = to

  function join(one: Socket, other: Socket): void {
    sockets.add(one)
    one.pipe(other)
    one.on('error', () => other.destroy())
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
  }

  function cutAll(): void {
    for (const socket of sockets) socket.destroy()
  }

  const server = createServer((incoming) => {
    if (target === undefined) {
      incoming.destroy()
      return
    }
    const { hostname, port } = new URL(target)
    const outgoing = connect(Number(port), hostname)
    join(incoming, outgoing)
    join(outgoing, incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
    lead(next) {
      target = next
      cutAll()
    },
    async stop() {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
