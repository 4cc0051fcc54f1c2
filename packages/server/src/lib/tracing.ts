import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { httpRequest } from './http-client.ts'
import type { WarnLog } from './logger.ts'
import { createSampledWarn } from './sampled-log.ts'

/** Numbers of OTLP. */
const KINDS = { server: 2, client: 3, job: 5 } as const
const STATUS_ERROR = 2

const EVERY_MS = 1_000
const TIMEOUT_MS = 5_000
const MOST_ANSWER_BYTES = 100_000
/** Until the next export; further spans are left out. */
const MOST_SPANS = 2_000

/** No secrets and no wallets. `error.type` marks a failure. */
type Attributes = Readonly<Record<string, string | number>>
type Described = {
  name: string
  kind: keyof typeof KINDS
  attributes: Attributes
  /** Header of W3C Trace Context, of a caller outside. */
  traceparent?: string | string[] | undefined
}
type Parent = { traceId: string; spanId: string }

const storage = new AsyncLocalStorage<Parent>()
let exporter: Exporter | undefined

export const isTracing = (): boolean => exporter !== undefined

/** `endingWith`: attributes that only its end shows. */
export function traced<T>(described: Described, work: () => Promise<T>, endingWith?: () => Attributes): Promise<T> {
  return exporter ? record(exporter, described, work, endingWith) : work()
}

async function record<T>(
  to: Exporter,
  { name, kind, attributes, traceparent }: Described,
  work: () => Promise<T>,
  endingWith: () => Attributes = () => ({}),
): Promise<T> {
  const parent = storage.getStore() ?? parentOf(traceparent)
  const span = { traceId: parent?.traceId ?? randomHex(16), spanId: randomHex(8) }
  const startTimeUnixNano = nanoseconds()
  const end = (more: Attributes) =>
    to.add({
      ...span,
      ...(parent && { parentSpanId: parent.spanId }),
      name,
      kind: KINDS[kind],
      startTimeUnixNano,
      endTimeUnixNano: nanoseconds(),
      attributes: listOf({ ...attributes, ...more }),
      ...('error.type' in more && { status: { code: STATUS_ERROR } }),
    })
  try {
    const result = await storage.run(span, work)
    end(endingWith())
    return result
  } catch (error) {
    const { reason, name } = error as { reason?: string; name?: string }
    end({ 'error.type': reason ?? name ?? 'unknown' })
    throw error
  }
}

function parentOf(header: string | string[] | undefined): Parent | undefined {
  const [, traceId, spanId] =
    /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/.exec(String(header)) ?? []
  return traceId && spanId ? { traceId, spanId } : undefined
}

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex')
/** A float has room for microseconds. */
const nanoseconds = () => `${Math.round((performance.timeOrigin + performance.now()) * 1_000)}000`

const listOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))

type Exporter = { add(span: object): void }

/** Sends spans of this process to `url`, the base of an OTLP receiver over HTTP, until `stop`. */
export function startTracing({ url, attributes, log }: { url: string; attributes: Attributes; log: WarnLog }) {
  const warn = createSampledWarn(log)
  const resource = {
    attributes: listOf({ 'service.name': 'coffer', 'service.instance.id': randomHex(8), ...attributes }),
  }
  let spans: object[] = []
  let leftOut = 0
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'coffer' }, spans }] }] })
    const fields = { spans: spans.length, leftOut }
    spans = []
    leftOut = 0
    try {
      const { status } = await httpRequest({
        url: `${url.replace(/\/+$/, '')}/v1/traces`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_ANSWER_BYTES,
      })
      if (status >= 300) warn('refused', { ...fields, status }, 'the receiver of traces refused spans, which are lost')
    } catch (err) {
      warn('unreached', { err, ...fields }, 'spans could not be sent and are lost: check COFFER_OTEL_URL')
    }
  }

  const flush = () => {
    if (spans.length > 0) sending ??= send().finally(() => (sending = undefined))
    return sending
  }
  const own: Exporter = {
    add(span) {
      if (spans.length < MOST_SPANS) spans.push(span)
      else leftOut += 1
    },
  }
  exporter = own
  const timer = setInterval(flush, EVERY_MS).unref()
  return {
    async stop(): Promise<void> {
      if (exporter === own) exporter = undefined
      clearInterval(timer)
      await sending
      await flush()
    },
  }
}
