import { expect, test } from 'vitest'
import { isMoment } from './moment-field.tsx'

test('a moment is a minute of a calendar day', () => {
  const texts = [
    '2026-03-01T12:00',
    '2026-03-01',
    '2026-13-01T12:00',
    '2026-03-01T24:61',
    '2026-03-01T12:00Z',
    undefined,
  ]
  expect(texts.map(isMoment)).toEqual([true, false, false, false, false, false])
})
