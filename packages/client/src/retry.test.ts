import { defineEndpoints } from '@coffer/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type ClientOptions, createCalls } from './client.ts'

const shared = {
  path: '/v1/thing',
  tag: 'T',
  summary: 'S',
  status: 200,
  cost: 1,
  bucket: 'default',
  requires: 'key',
  errors: 'titled',
  response: z.number(),
} as const
const table = defineEndpoints({ read: { ...shared, method: 'GET' }, change: { ...shared, method: 'DELETE' } })

const NOW = Date.parse('2026-07-01T12:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Answer = { status: number; retryAfter?: string } | 'broken'

/** Gives these answers, then `1`. Records request times in ms from the first. */
function service(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const askedAt: number[] = []
  const fetch: typeof globalThis.fetch = async () => {
    const answer = answers[askedAt.push(Date.now() - NOW) - 1]
    if (answer === 'broken') throw new TypeError('fetch failed')
    const headers: Record<string, string> = answer?.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }
    return new Response(answer ? '{}' : '1', { status: answer?.status ?? 200, headers })
  }
  return { askedAt, calls: createCalls(table, { baseUrl: 'http://x.example', apiKey: 'k', fetch, ...options }) }
}

/** Waits for all retries. */
async function settled(call: Promise<unknown>): Promise<unknown> {
  const outcome = call.catch(({ status, name }: { status?: number; name: string }) => status ?? name)
  await vi.runAllTimersAsync()
  return outcome
}

describe('a read is sent again', () => {
  test.each<[string, readonly Answer[], unknown, readonly number[]]>([
    ['after the seconds that the service names', [{ status: 429, retryAfter: '7' }], 1, [0, 7_000]],
    ['at the time that it names', [{ status: 503, retryAfter: 'Wed, 01 Jul 2026 12:00:09 GMT' }], 1, [0, 9_000]],
    ['at once when that time is over', [{ status: 503, retryAfter: 'Wed, 01 Jul 2026 11:59:09 GMT' }], 1, [0, 0]],
    ['after half a second, then after a second', [{ status: 502 }, { status: 504 }], 1, [0, 500, 1_500]],
    ['when the connection broke', ['broken'], 1, [0, 500]],
    ['twice at most', ['broken', { status: 502 }, { status: 503 }], 503, [0, 500, 1_500]],
    ['not when it is refused', [{ status: 400 }], 400, [0]],
    ['not after a bug of the service', [{ status: 500 }], 500, [0]],
    ['not when the wait is longer than 30 seconds', [{ status: 429, retryAfter: '31' }], 429, [0]],
  ])('%s', async (_, answers, outcome, times) => {
    const { calls, askedAt } = service(answers)
    expect(await settled(calls.read())).toBe(outcome)
    expect(askedAt).toEqual(times)
  })

  test('up to half a wait earlier, by chance', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5)
    const { calls, askedAt } = service(['broken', 'broken'])
    expect(await settled(calls.read())).toBe(1)
    expect(askedAt).toEqual([0, 375, 1_125])
  })

  test('as often as the caller says', async () => {
    const { calls, askedAt } = service(['broken', 'broken', 'broken'], { retries: 1 })
    expect(await settled(calls.read())).toBe('ConnectionError')
    expect(askedAt).toEqual([0, 500])
  })
})

test('a change is sent once', async () => {
  for (const answer of ['broken', { status: 503, retryAfter: '1' }] as const) {
    const { calls, askedAt } = service([answer])
    expect(await settled(calls.change())).toBe(answer === 'broken' ? 'ConnectionError' : 503)
    expect(askedAt).toEqual([0])
  }
})

test('a call that is cancelled ends while it waits, with the reason of the signal', async () => {
  const { calls, askedAt } = service([{ status: 429, retryAfter: '20' }])
  const controller = new AbortController()
  const call = calls.read({}, { signal: controller.signal })
  const refused = expect(call).rejects.toBe('enough')
  await vi.advanceTimersByTimeAsync(19_000)
  controller.abort('enough')
  await refused
  await vi.runAllTimersAsync()
  expect(askedAt).toEqual([0])
})

test('a call that is cancelled under way is not taken for a broken connection', async () => {
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  const { calls } = service([], { fetch })
  const controller = new AbortController()
  const refused = expect(calls.change({}, { signal: controller.signal })).rejects.toBe('enough')
  controller.abort('enough')
  await refused
})
