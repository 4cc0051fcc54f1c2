import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createGzip, type Gzip } from 'node:zlib'
import { type LocalServer, serveLocally } from '../local-server.ts'

const CHUNK = Buffer.alloc(1_000_000, '0')
/** No client reads as much: the answer ends when the reader leaves. */
const MOST_CHUNKS = 1_000

/** Answers everything but `eth_chainId` with a gigabyte, every other time as a gzip bomb. */
export async function startEndlessNode(): Promise<LocalServer & { begun(): number }> {
  let begun = 0
  const server = await serveLocally(async (request, response) => {
    const { id, method } = JSON.parse(await text(request)) as { id: number; method: string }
    if (method === 'eth_chainId') {
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))
      return
    }
    begun += 1
    await sendEndless(response, id, begun % 2 === 0)
  })
  return { ...server, begun: () => begun }
}

async function sendEndless(response: ServerResponse, id: number, zipped: boolean): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort()).on('error', () => undefined)
  if (zipped) response.setHeader('content-encoding', 'gzip')
  const body: Gzip | ServerResponse = zipped ? createGzip() : response
  if (body !== response) body.pipe(response)
  body.write(`{"jsonrpc":"2.0","id":${id},"result":"0x`)
  for (let chunk = 0; chunk < MOST_CHUNKS && !gone.signal.aborted; chunk += 1) {
    if (!body.write(CHUNK)) await once(body, 'drain', { signal: gone.signal }).catch(() => undefined)
  }
  body.end('"}')
}
