import { expect, test } from 'vitest'
import { stepOfCode, totpCode } from './totp.ts'

const KEY = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, SHA-1: eight digits, of them an app shows the last six.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %i s is that of the RFC', (seconds, code) => {
  expect(totpCode(KEY, Math.floor(seconds / 30))).toBe(code.slice(-6))
})

test('a code is good in its own step and an adjacent one, and later than the last one taken', () => {
  const code = totpCode(KEY, 1_000)
  const steps = [998, 999, 1_000, 1_001, 1_002]
  expect(steps.map((now) => stepOfCode(KEY, code, { now, taken: 0 }))).toEqual([
    undefined,
    1_000,
    1_000,
    1_000,
    undefined,
  ])
  expect(stepOfCode(KEY, code, { now: 1_000, taken: 999 })).toBe(1_000)
  expect(stepOfCode(KEY, code, { now: 1_000, taken: 1_000 })).toBeUndefined()
  expect(stepOfCode(KEY, code, { now: 1_000, taken: 1_001 })).toBeUndefined()
})

test('what is no code is of no step', () => {
  for (const code of ['', '12345', totpCode(KEY, 1_000).slice(1), ` ${totpCode(KEY, 1_000)}`, '１２３４５６']) {
    expect(stepOfCode(KEY, code, { now: 1_000, taken: 0 })).toBeUndefined()
  }
})
