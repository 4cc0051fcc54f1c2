import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FileAnswer } from '@coffer/contract'

export type BegunFile = { file: FileAnswer; first: IteratorResult<string>; parts: AsyncIterator<string> }

/** Makes the first part: an early failure is refused like any other request. */
export async function beginFile(file: FileAnswer): Promise<BegunFile> {
  const parts = file.parts[Symbol.asyncIterator]()
  return { file, first: await parts.next(), parts }
}

export function closeFile({ parts }: BegunFile): void {
  void parts.return?.().catch(() => undefined)
}

/** Resets the connection on a fault: no reader takes the part for the whole. Returns the fault. Never rejects. */
export async function sendFile(
  raw: ServerResponse,
  begun: BegunFile,
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
      for (let part = begun.first; !part.done; part = await begun.parts.next()) yield part.value
    } catch (thrown) {
      breakOff(thrown)
      throw thrown
    }
  }
  cut.addEventListener('abort', onCut)
  const closed = new Promise((resolve) => raw.once('close', resolve))
  await Promise.race([pipeline(watched(), raw).catch(() => undefined), closed])
  cut.removeEventListener('abort', onCut)
  closeFile(begun)
  return broken
}
