import { text } from 'node:stream/consumers'
import { type LocalServer, serveLocally } from '../local-server.ts'
import { pebbleChain } from './pebble/chain.ts'

/** Each change has its own block. */
export type PebbleNode = LocalServer & {
  height(): bigint
  set(address: string, amountRaw: bigint): void
  setBroken(broken: boolean): void
}

type Call = { id: number; method: string; params: readonly string[] }

export async function startPebbleNode({
  network = pebbleChain.chainId,
}: {
  network?: string
} = {}): Promise<PebbleNode> {
  const balances = new Map<string, bigint>()
  let height = 1n
  let isBroken = false
  const head = () => ({ height: String(height), time: Math.floor(Date.now() / 1_000) })

  function resultOf({ method, params: [address = ''] }: Call): object | string | undefined {
    if (method === 'network') return network
    if (method === 'head') return head()
    if (method === 'balance') return { ...head(), amount: String(balances.get(address) ?? 0n) }
    return undefined
  }

  function answer(call: Call): object {
    const result = resultOf(call)
    const error = { code: -32_601, message: 'method not found' }
    return { jsonrpc: '2.0', id: call.id, ...(result === undefined ? { error } : { result }) }
  }

  const server = await serveLocally(async (request, response) => {
    const calls = JSON.parse(await text(request)) as Call | Call[]
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
    response.end(isBroken ? '' : JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)))
  })
  return {
    ...server,
    height: () => height,
    set(address, amountRaw) {
      balances.set(address, amountRaw)
      height += 1n
    },
    setBroken(broken) {
      isBroken = broken
    },
  }
}
