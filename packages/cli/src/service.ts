import { type Client, createClient } from '@coffer/client'
import type { Host } from './host.ts'
import type { Settings } from './settings.ts'

export type Service = Settings & {
  client: Client
  /** The last answer, unchanged, with all digits. */
  lastJson(): string
}

const FILES = /^text\/(csv|event-stream|html)|^application\/x-ndjson/

export function openService({ fetch }: Pick<Host, 'fetch'>, settings: Settings): Service {
  let last = ''
  const keeping: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { status, statusText, headers } = response
    if (!response.ok || FILES.test(headers.get('content-type') ?? '')) return response
    last = await response.text()
    return new Response(last === '' ? null : last, { status, statusText, headers })
  }
  const client = createClient({ baseUrl: settings.url, apiKey: settings.apiKey, fetch: keeping })
  return { ...settings, client, lastJson: () => last }
}
