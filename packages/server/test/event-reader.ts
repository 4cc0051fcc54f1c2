type StreamedEvent = { id?: string; event: string; data: unknown }

const WITH_ID = /^id: (?<id>.*)\nevent: (?<event>.*)\ndata: (?<data>.*)$/s
const WITHOUT_ID = /^event: (?<event>.*)\ndata: (?<data>.*)$/s

/** Reads server-sent events, which all have an ID or all have none. */
export async function listenTo(url: string, headers: Record<string, string>, { hasIds }: { hasIds: boolean }) {
  const leave = new AbortController()
  const response = await fetch(url, { headers, signal: leave.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''

  /** The next block of the stream, a heartbeat or an event. Undefined at the end. */
  async function nextBlock(): Promise<string | undefined> {
    while (!text.includes('\n\n')) {
      const read = await reader?.read()
      if (!read || read.done) return undefined
      text += read.value
    }
    const block = text.split('\n\n', 1)[0] ?? ''
    text = text.slice(block.length + 2)
    return block
  }

  /** Undefined at the end of the stream. */
  async function next(): Promise<StreamedEvent | undefined> {
    for (let block = await nextBlock(); block !== undefined; block = await nextBlock()) {
      const { id, event, data } = (hasIds ? WITH_ID : WITHOUT_ID).exec(block)?.groups ?? {}
      if (event !== undefined && data !== undefined) return { ...(id && { id }), event, data: JSON.parse(data) }
    }
    return undefined
  }
  return { status: response.status, headers: response.headers, next, leave: () => leave.abort() }
}
