import { expect, test } from 'vitest'
import { createByteBudget } from './http-client.ts'

test('the largest share is refused when all of them together are too many, and no other', () => {
  const budget = createByteBudget(100)
  const refused: string[] = []
  const open = (name: string) => budget.open(() => refused.push(name))
  const [small, large, middle] = [open('small'), open('large'), open('middle')]
  small.add(10)
  large.add(50)
  middle.add(40)
  expect(refused).toEqual([])
  small.add(1)
  expect(refused).toEqual(['large'])
  large.add(1_000)
  expect(refused).toEqual(['large'])
  middle.add(49)
  small.add(1)
  expect(refused).toEqual(['large', 'middle'])
  small.close()
  const next = open('next')
  next.add(100)
  expect(refused).toEqual(['large', 'middle'])
  next.add(1)
  expect(refused).toEqual(['large', 'middle', 'next'])
})

test('what is closed is free again', () => {
  const budget = createByteBudget(10)
  for (let turn = 0; turn < 5; turn += 1) {
    const share = budget.open(() => expect.unreachable())
    share.add(10)
    share.close()
    share.close()
  }
})
