import { expect, test } from 'vitest'
import { isDay } from './date.ts'

test.each(['2024-02-29', '0001-01-01', '9999-12-31', '2026-11-21'])('%s is a day', (text) => {
  expect(isDay(text)).toBe(true)
})

test.each([
  ['2023-02-29', 'there is none'],
  ['2026-13-01', 'there is no such month'],
  ['2026-04-31', 'April has thirty'],
  ['0000-01-01', 'before the year 1'],
  ['2026-1-1', 'digits are missing'],
  ['26-01-01', 'digits are missing'],
  ['2026-01-01T00:00:00Z', 'a time'],
  [' 2026-01-01', 'white space'],
  ['+12026-01-01', 'a sign'],
  ['', 'nothing'],
])('%j is none: %s', (text) => {
  expect(isDay(text)).toBe(false)
})
