import { expect, test } from 'vitest'
import { spanOf, toLocalMinute } from './span.ts'

test('a span has both of its minutes whole', () => {
  const minute = toLocalMinute(new Date('2026-03-01T12:34:56.789Z'))
  expect(spanOf(minute, minute)).toEqual({ from: '2026-03-01T12:34:00.000Z', to: '2026-03-01T12:34:59.999Z' })
})

test('one that ends before it begins is none, and so is one with a field that is empty', () => {
  expect(spanOf('2026-03-01T12:34', '2026-03-01T12:33')).toBeNull()
  expect(spanOf('', '2026-03-01T12:33')).toBeNull()
  expect(spanOf('2026-03-01T12:33', '')).toBeNull()
})
