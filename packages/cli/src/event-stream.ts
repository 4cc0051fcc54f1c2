import { CofferError, ConnectionError } from '@coffer/client'
import { eventStream } from '@coffer/contract'
import type { Host } from './host.ts'
import type { Settings } from './settings.ts'

/** `data` is JSON. */
export type StreamEvent = { id: string; kind: string; data: string }

const LONGEST_BLOCK = 1_000_000

/**
 * Yields the account's events after `lastId`, until the service ends the stream. Throws a `CofferError` for a refusal
 * and a `ConnectionError` for a broken stream.
 */
export async function* listen(
  { fetch, signal }: Pick<Host, 'fetch' | 'signal'>,
  { url, apiKey }: Settings,
  lastId: string | undefined,
): AsyncGenerator<StreamEvent, void, undefined> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(lastId !== undefined && { 'last-event-id': lastId }) }
  try {
    const response = await fetch(url + eventStream.path, { headers, signal })
    if (!response.ok) throw new CofferError(response.status, bodyOf(await response.text()), response.headers)
    for await (const block of blocksOf(response)) {
      const event = parseBlock(block)
      if (event) yield event
    }
  } catch (error) {
    if (signal.aborted || error instanceof CofferError) throw error
    throw new ConnectionError(new URL(url).origin, error)
  }
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function* blocksOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  if (!body) return
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > LONGEST_BLOCK) throw new Error('an event has no end')
    yield* blocks
  }
}

/** Returns undefined for a comment, which keeps the connection open. */
function parseBlock(block: string): StreamEvent | undefined {
  const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]))
  const kind = fields.get('event')
  return kind === undefined ? undefined : { id: fields.get('id') ?? '', kind, data: fields.get('data') ?? '' }
}
