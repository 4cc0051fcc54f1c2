import { expect, test, vi } from 'vitest'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createAnswerCache, type Known } from './answer-cache.ts'

type Read = { readAt: number; found: number }
type State = { found: Record<string, number>; gaps: string[] }

const START = Date.UTC(2026, 0, 1)
const SOURCES = Array.from({ length: 10 }, (_, i) => `chain${i}`)

/** Subjects with a map as the store. The test makes sources fail or wait. */
function rig(sources = ['left', 'right']) {
  const stored = new Map<string, Read>()
  const state = {
    now: START,
    down: new Set<string>(),
    refused: new Set<string>(),
    found: 1,
    reads: 0,
    loads: 0,
    logged: [] as string[],
    /** Delays of reads and of loaded values. */
    reading: new Map<string, Promise<void>>(),
    loaded: Promise.resolve(),
    /** Called by the background search after the last read of a source. */
    foundMore: new Map<string, () => Promise<void>>(),
    /** Background searches after the reads of sources. */
    searching: new Map<string, Promise<boolean>>(),
  }
  const { getState, findFresh } = createAnswerCache<string, Read, Known<Read>, State>({
    async load(subject) {
      const reads = sources.flatMap((source): [string, Read][] => {
        const read = stored.get(`${subject} ${source}`)
        return read ? [[source, read]] : []
      })
      state.loads += 1
      await state.loaded
      return { sources, reads: new Map(reads) }
    },
    async refresh(source, subject, follow) {
      state.reads += 1
      await state.reading.get(source)
      if (state.refused.has(source)) throw new UpstreamError('not-allowed', 'refused')
      if (state.down.has(source)) throw new UpstreamError('unavailable', 'down')
      const read = { readAt: state.now, found: state.found }
      stored.set(`${subject} ${source}`, read)
      state.foundMore.set(source, async () => {
        stored.set(`${subject} ${source}`, { ...read, found: read.found + 1 })
        const search = Promise.resolve(true)
        follow(search)
        await search
      })
      const search = state.searching.get(source)
      if (search) follow(search)
      return read
    },
    stateOf: (_, { reads }, gaps) => ({
      found: Object.fromEntries([...reads].map(([source, { found }]) => [source, found])),
      gaps: gaps.map(({ source, reason }) => `${source} ${reason}`),
    }),
    clock: { now: () => state.now },
    log: { warn: (_: unknown, message?: string) => void state.logged.push(message ?? '') },
  })
  const ask = async (subject: string, waitForSync = false) => (await getState(subject, waitForSync)).state
  return { state, stored, ask, findFresh }
}

test('sixty subjects of ten sources keep their marks, and their rest, through an outage', async () => {
  const { state, ask } = rig(SOURCES)
  const subjects = Array.from({ length: 60 }, (_, i) => `wallet${i}`)
  for (const subject of subjects) await ask(subject)
  state.now += 60_000
  for (const source of SOURCES) state.down.add(source)
  const marks = SOURCES.map((source) => `${source} stale`)
  for (const subject of subjects) expect((await ask(subject, true)).gaps).toEqual(marks)
  const { reads } = state
  state.now += 9_999
  for (const subject of subjects) expect((await ask(subject, true)).gaps).toEqual(marks)
  expect(state.reads).toBe(reads)
  state.now += 1
  for (const subject of subjects) expect((await ask(subject)).gaps).toEqual(marks)
})

test('a failure is forgotten with the next good read by any caller', async () => {
  const { state, stored, ask } = rig()
  await ask('wallet')
  state.now += 60_000
  state.down.add('left')
  expect((await ask('wallet', true)).gaps).toEqual(['left stale'])
  expect(state.logged).toEqual(['a source of holdings could not be read; its last read is shown as stale'])
  state.now += 10_000
  // Another process reaches the source.
  stored.set('wallet left', { readAt: state.now, found: 5 })
  expect(await ask('wallet')).toEqual({ found: { left: 5, right: 1 }, gaps: [] })
})

test('a source that was never read says why', async () => {
  const { state, ask } = rig(['left', 'right', 'third'])
  state.down.add('left')
  state.refused.add('right')
  expect(await ask('wallet')).toEqual({ found: { third: 1 }, gaps: ['left unreadable', 'right not-allowed'] })
  expect(state.logged).toEqual(
    Array(2).fill('a source of holdings could not be read; there is no earlier read to show'),
  )
})

test('a first read that does not end in time is said to be late, and is in the answer after it has ended', async () => {
  vi.useFakeTimers()
  try {
    const { state, ask } = rig(['left'])
    const held = Promise.withResolvers<void>()
    state.reading.set('left', held.promise)
    const late = ask('wallet')
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await late).toEqual({ found: {}, gaps: ['left time-limit'] })
    held.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(await ask('wallet')).toEqual({ found: { left: 1 }, gaps: [] })
    expect(state.reads).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('an answer that is being loaded when more is found shows it', async () => {
  const { state, ask } = rig()
  await ask('wallet')
  state.now += 59_999
  await state.foundMore.get('right')?.()
  const held = Promise.withResolvers<void>()
  state.loaded = held.promise
  const answer = ask('wallet')
  await expect.poll(() => state.loads).toBe(2)
  await state.foundMore.get('left')?.()
  state.loaded = Promise.resolve()
  held.resolve()
  expect(await answer).toEqual({ found: { left: 2, right: 2 }, gaps: [] })
})

test('an answer that waits for several reads shows what was found after the first of them', async () => {
  const { state, ask } = rig()
  const held = Promise.withResolvers<void>()
  state.reading.set('right', held.promise)
  const answer = ask('wallet')
  await expect.poll(() => state.foundMore.has('left')).toBe(true)
  await state.foundMore.get('left')?.()
  held.resolve()
  expect((await answer).found).toEqual({ left: 2, right: 1 })
})

test('a hundred callers at once share one read of each source', async () => {
  const { state, ask } = rig()
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('wallet', true)))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(state.reads).toBe(2)
})

test('memory holds five hundred answers: the one written longest ago is loaded again, not read again', async () => {
  const { state, ask, findFresh } = rig()
  for (let i = 0; i <= 500; i += 1) await ask(`wallet${i}`)
  const { reads } = state
  expect(findFresh('wallet0', false)).toBeUndefined()
  expect(findFresh('wallet1', false)).toBeDefined()
  expect(await ask('wallet0')).toEqual({ found: { left: 1, right: 1 }, gaps: [] })
  expect(state.reads).toBe(reads)
})

test('who asks to wait waits for the search under way as well, and is answered what it found', async () => {
  const { state, stored, ask } = rig()
  const search = Promise.withResolvers<boolean>()
  state.searching.set('right', search.promise)
  const [first, waiting] = [await ask('wallet'), ask('wallet', true)]
  expect(first.found).toEqual({ left: 1, right: 1 })
  stored.set('wallet right', { readAt: state.now, found: 7 })
  search.resolve(true)
  expect((await waiting).found).toEqual({ left: 1, right: 7 })
  // The last read is older than a minute: the call waits for a new read, then for its background search.
  state.now += 60_000
  const next = Promise.withResolvers<boolean>()
  state.searching.set('right', next.promise)
  const renewed = ask('wallet', true)
  await expect.poll(() => state.reads).toBe(4)
  stored.set('wallet right', { readAt: state.now, found: 9 })
  next.resolve(true)
  expect((await renewed).found).toEqual({ left: 1, right: 9 })
})

test('a search is waited for ten seconds at most, within the thirty of the whole wait', async () => {
  vi.useFakeTimers()
  try {
    const { state, ask } = rig(['left'])
    state.searching.set('left', new Promise<boolean>(() => undefined))
    let isAnswered = false
    const answer = async () => {
      await ask('wallet', true)
      isAnswered = true
    }
    const first = answer()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(isAnswered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await first
    // A read that takes 25 seconds leaves five for the search.
    state.now += 60_000
    isAnswered = false
    state.reading.set('left', new Promise((resolve) => setTimeout(resolve, 25_000)))
    const second = answer()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(isAnswered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await second
  } finally {
    vi.useRealTimers()
  }
})
