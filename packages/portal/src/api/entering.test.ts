import { expect, test } from 'vitest'
import { safeNext } from './entering.ts'

test('only paths of the application are gone to after a sign-in', () => {
  expect(safeNext('/a/1/keys?x=1')).toBe('/a/1/keys?x=1')
  for (const hostile of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    undefined,
    7,
  ]) {
    expect(safeNext(hostile)).toBe('/')
  }
  expect(safeNext('/sign-in?next=/sign-in')).toBe('/')
})
