import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createEventStreams, type SendEvent } from './event-streams.ts'
import type { PortalCaller } from './gates.ts'

const callerOf = (session: string, accountId: string) => ({ session: { id: session }, accountId }) as PortalCaller

/** The subset of a response that streams use. */
function fakeSink() {
  const written: string[] = []
  const emitter = new EventEmitter()
  const sink = {
    writableLength: 0,
    ended: 0,
    write: (text: string) => written.push(text) > 0,
    end() {
      sink.ended += 1
    },
    on: (event: string, listener: () => void) => emitter.on(event, listener),
  }
  return { written, emitter, sink, asSink: sink as never }
}

function fixture() {
  const alive = new Set(['a', 'b'])
  const heard = new Set<SendEvent>()
  let down = false
  const streams = createEventStreams<PortalCaller>({
    ownerOf: ({ session }) => session?.id,
    listen(_, send) {
      heard.add(send)
      return () => heard.delete(send)
    },
    async isAlive({ session }) {
      if (down) throw new Error('no database')
      return alive.has(session?.id ?? '')
    },
  })
  const begin = (session: string, accountId = '1') => {
    const fake = fakeSink()
    streams.admit(callerOf(session, accountId))
    streams.begin(callerOf(session, accountId), fake.asSink)
    return fake
  }
  const fail = (is: boolean) => {
    down = is
  }
  return { streams, begin, alive, heard, fail }
}

test('a stream sends what it hears, and its heartbeat', () => {
  const { streams, begin, heard } = fixture()
  const { written } = begin('a')
  for (const send of heard) send('sync', { text: 'a\nb' })
  streams.beat()
  expect(written).toEqual(['event: sync\ndata: {"text":"a\\nb"}\n\n', ':\n\n'])
})

test('it ends with its session, not with a database that is away', async () => {
  const { streams, begin, alive, heard, fail } = fixture()
  const [a, b] = [begin('a'), begin('b')]
  alive.delete('a')
  fail(true)
  await streams.check()
  expect([a.sink.ended, b.sink.ended]).toEqual([0, 0])
  fail(false)
  await streams.check()
  expect([a.sink.ended, b.sink.ended, streams.count(), heard.size]).toEqual([1, 0, 1, 1])
})

test('it ends when the client goes, and when the client does not read', () => {
  const { streams, begin, heard } = fixture()
  const [a, b] = [begin('a'), begin('b')]
  a.emitter.emit('close')
  expect([streams.count(), heard.size]).toEqual([1, 1])
  b.sink.writableLength = 300_000
  for (const send of heard) send('sync', {})
  expect([b.sink.ended, b.written.length, streams.count(), heard.size]).toEqual([1, 0, 0, 0])
})

test('a session has four at most: the oldest ends with a notice', () => {
  const { begin, heard } = fixture()
  const [first, second, third] = [begin('a'), begin('b'), begin('a')]
  const later = [begin('a'), begin('a'), begin('a')]
  const ended = [first, second, third, ...later].map(({ sink }) => sink.ended)
  expect([ended, heard.size]).toEqual([[1, 0, 0, 0, 0, 0], 5])
  expect(first.written).toEqual(['event: replaced\ndata: {}\n\n'])
  begin('a')
  expect([second.sink.ended, third.sink.ended]).toEqual([0, 1])
})

test('an account has 20 at most, whatever the number of its sessions: the oldest makes room', () => {
  const { streams, begin } = fixture()
  const other = begin('other', '2')
  const own = Array.from({ length: 130 }, (_, session) => begin(String(session)))
  const live = own.filter(({ sink }) => sink.ended === 0)
  expect([streams.count(), live, other.sink.ended]).toEqual([21, own.slice(-20), 0])
  expect(own[0]?.written).toEqual(['event: replaced\ndata: {}\n\n'])
})

test('a full process: the oldest of the account that has most gives way', () => {
  const { streams, begin } = fixture()
  // 24 accounts with 20, and one with 19 and one with 1.
  const large = Array.from({ length: 480 }, (_, i) => begin(`large ${i}`, String(i % 24)))
  for (let i = 0; i < 19; i += 1) begin(`smaller ${i}`, 'smaller')
  const alone = begin('alone', 'alone')
  expect(streams.count()).toBe(500)
  const added = Array.from({ length: 3 }, (_, i) => begin(`new ${i}`, 'new'))
  expect(streams.count()).toBe(500)
  expect([alone, ...added].map(({ sink }) => sink.ended)).toEqual([0, 0, 0, 0])
  expect(large.map(({ sink }) => sink.ended)).toEqual([1, 1, 1, ...Array.from({ length: 477 }, () => 0)])
})

test('a process has 500 at most, of accounts with one each too; after the end there is none', () => {
  const { streams, begin } = fixture()
  const sinks = Array.from({ length: 500 }, (_, account) => begin(String(account), String(account)).sink)
  expect(() => begin('a', 'new')).toThrow('Too many event streams are open')
  expect(sinks.filter(({ ended }) => ended !== 0)).toEqual([])
  streams.endAll()
  expect(sinks.filter(({ ended }) => ended !== 1)).toEqual([])
  expect(() => begin('b')).toThrow('shutting down')
})
