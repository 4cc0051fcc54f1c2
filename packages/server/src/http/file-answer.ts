import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FileAnswer } from '@coffer/contract'

export type OpenFile = Awaited<ReturnType<typeof openFile>>

/** Refuses an early failure like any other request. */
export async function openFile({ type, name, parts, isComplete }: FileAnswer) {
  const iterator = parts[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all() {
    for (let part = first; !part.done; part = await iterator.next()) yield part.value
  }
  return { type, name, isComplete, all, close: async () => void (await iterator.return?.()) }
}

/** Resets the connection on a fault: no reader takes the part for the whole. Returns the fault. Never rejects. */
export async function sendFile(
  raw: ServerResponse,
  file: OpenFile,
  cut: AbortSignal,
): Promise<{ fault: unknown } | undefined> {
  const { socket } = raw
  let broken: { fault: unknown } | undefined
  const breakOff = (fault: unknown) => {
    broken = { fault }
    socket?.resetAndDestroy()
  }
  const onCut = () => breakOff(new Error('the service shuts down'))
  async function* watched() {
    try {
      yield* file.all()
    } catch (thrown) {
      breakOff(thrown)
      throw thrown
    }
  }
  cut.addEventListener('abort', onCut)
  const closed = new Promise((resolve) => raw.once('close', resolve))
  await Promise.race([pipeline(watched(), raw).catch(() => undefined), closed])
  cut.removeEventListener('abort', onCut)
  void file.close().catch(() => undefined)
  return broken
}
