import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createEventStreams, type SendEvent } from './event-streams.ts'
import type { PortalCaller } from './gates.ts'

const callerOf = (session: string) => ({ session: { id: session }, accountId: '1' }) as PortalCaller

/** The part of an answer that streams use. */
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
  const begin = (session: string) => {
    const fake = fakeSink()
    streams.admit()
    streams.begin(callerOf(session), fake.asSink)
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

test('a session has four at most: the oldest makes room, and is told so', () => {
  const { begin, heard } = fixture()
  const [first, second, third] = [begin('a'), begin('b'), begin('a')]
  const later = [begin('a'), begin('a'), begin('a')]
  const ended = [first, second, third, ...later].map(({ sink }) => sink.ended)
  expect([ended, heard.size]).toEqual([[1, 0, 0, 0, 0, 0], 5])
  expect(first.written).toEqual(['event: replaced\ndata: {}\n\n'])
  begin('a')
  expect([second.sink.ended, third.sink.ended]).toEqual([0, 1])
})

test('a process has 500 at most; after the end there is none', () => {
  const { streams, begin } = fixture()
  const sinks = Array.from({ length: 500 }, (_, session) => begin(String(session)).sink)
  expect(() => begin('a')).toThrow('Too many streams')
  streams.endAll()
  expect(sinks.filter(({ ended }) => ended !== 1)).toEqual([])
  expect(() => begin('b')).toThrow('shutting down')
})
