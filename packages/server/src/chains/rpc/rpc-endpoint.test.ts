import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { HANGS_MS } from '../../../test/hangs.ts'
import { monotonicTimer, systemClock } from '../../lib/clock.ts'
import { asItCame, RpcRefusal } from './json-rpc.ts'
import { createRpcEndpoint, type RpcEvent } from './rpc-endpoint.ts'

type Call = { id: number; method: string }

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Answers batches in reverse order, and refuses `odd`. */
async function startNode(): Promise<string> {
  const answerOf = ({ id, method }: Call) =>
    method === 'odd' ? { id, error: { code: -32000, message: 'never' } } : { id, result: `${method} ${id}` }
  server = createServer(async (request, response) => {
    const sent = (await json(request)) as Call | Call[]
    response.end(JSON.stringify(Array.isArray(sent) ? sent.toReversed().map(answerOf) : answerOf(sent)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('answers belong to their calls, and a refusal names its endpoint and method but not its URL', async () => {
  const events: RpcEvent[] = []
  const endpoint = createRpcEndpoint({
    chain: 'x',
    label: 'x#1',
    url: await startNode(),
    clock: systemClock,
    timer: monotonicTimer,
    limits: { timeoutMs: HANGS_MS, scanTimeoutMs: HANGS_MS, logTimeoutMs: HANGS_MS },
    known: { batchSize: 7 },
    observe: (event) => events.push(event),
  })
  expect(endpoint.capabilities.batchSize).toBe(7)
  const call = (method: string) => ({ method, params: [], parse: asItCame })
  expect(await endpoint.request(call('first'))).toBe('first 1')
  const [one, odd, three] = await endpoint.batch([call('one'), call('odd'), call('three')])
  expect([one, three]).toEqual(['one 2', 'three 4'])
  expect(odd).toBeInstanceOf(RpcRefusal)
  expect((odd as RpcRefusal).message).toBe('x#1 odd: the node refused the call (-32000, other)')
  await expect(endpoint.request(call('odd'))).rejects.toThrow('x#1 odd: the node refused the call (-32000, other)')
  expect(events.map(({ endpoint, method, outcome }) => [endpoint, method, outcome])).toEqual([
    ['x#1', 'first', 'ok'],
    ['x#1', 'batch:three', 'refused'],
    ['x#1', 'odd', 'refused'],
  ])
  expect(endpoint.breaker.admits()).toBe(true)
})
