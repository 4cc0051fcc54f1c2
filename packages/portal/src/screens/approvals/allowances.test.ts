import { expect, test } from 'vitest'
import { type Approval, byRisk, lastAllowances, passes, revocationOf } from './allowances.ts'

const MAX = (2n ** 256n - 1n).toString()
const spender = '0x00000000000000000000000000000000000000aa'

const usdc = { name: 'USD Coin', symbol: 'USDC', balance: '100', price: '2', value: '200', decimal: '6' }

const approval = (given: Partial<Omit<Approval, 'asset'>> & { asset?: object | undefined }): Approval =>
  ({ block: '1', contract: '0xc', to: spender, amount: MAX, asset: usdc, ...given }) as Approval

const only = (given: Parameters<typeof approval>[0]) => lastAllowances('base', [approval(given)])[0]

test('what was set last for a spender on a token counts', () => {
  const set = [
    approval({ block: '9', amount: '0' }),
    approval({ block: '8' }),
    approval({ block: '7', to: '0xother' }),
    approval({ block: '6', contract: '0xother' }),
  ]
  expect(lastAllowances('base', set).map(({ limit, set: { block } }) => [block, limit])).toEqual([
    ['9', 'revoked'],
    ['7', 'unlimited'],
    ['6', 'unlimited'],
  ])
})

test('an allowance exposes the balance at most', () => {
  expect(only({ amount: MAX })).toMatchObject({ limit: 'unlimited', exposure: 'whole', order: '200' })
  expect(only({ amount: '100000000' })).toMatchObject({ limit: 'limited', exposure: 'whole', amount: '100' })
  expect(only({ amount: '99999999' })).toMatchObject({ exposure: 'part', amount: '99.999999', order: '199.999998' })
  expect(only({ amount: '5', asset: { ...usdc, balance: '0', value: '0' } })).toMatchObject({ exposure: 'nothing' })
  expect(only({ amount: '5', asset: undefined })).toMatchObject({ exposure: 'unknown', amount: null, order: 'N/A' })
  expect(only({ amount: '5', asset: { ...usdc, decimal: 'x' } })).toMatchObject({ exposure: 'unknown', amount: null })
})

test('an unpriced token at risk is not worth zero', () => {
  const unpriced = { ...usdc, price: '0', value: '0' }
  expect(only({ amount: MAX, asset: unpriced })).toMatchObject({ exposure: 'whole', order: 'N/A' })
  expect(only({ amount: '5', asset: unpriced })).toMatchObject({ exposure: 'part', order: 'N/A' })
})

test('the largest numbers of narrower types are no limit either', () => {
  expect(only({ amount: (2n ** 96n - 1n).toString() })?.limit).toBe('unlimited')
  expect(only({ amount: (2n ** 160n - 1n).toString() })?.limit).toBe('unlimited')
  expect(only({ amount: (2n ** 255n).toString() })?.limit).toBe('unlimited')
  expect(only({ amount: (2n ** 255n - 1n).toString() })?.limit).toBe('limited')
})

test('orders by limit, then by exposure, what is unknown after what is known', () => {
  const all = lastAllowances('base', [
    approval({ to: 'revoked', amount: '0' }),
    approval({ to: 'part', amount: '60000000' }),
    approval({ to: 'whole', amount: '100000000' }),
    approval({ to: 'unlisted', asset: undefined }),
    approval({ to: 'unlimited' }),
  ])
  expect(all.sort(byRisk).map(({ set }) => set.to)).toEqual(['unlimited', 'unlisted', 'whole', 'part', 'revoked'])
})

test('filters by state and by text of the token, the spender and its label', () => {
  const [open, revoked] = lastAllowances('base', [approval({}), approval({ to: '0xb', amount: '0' })])
  const nameOf = (address: string) => (address === spender ? 'Router' : undefined)
  const seen = (text: string, shown: 'open' | 'all' | 'limited') =>
    [open, revoked].map((one) => one && passes(one, { shown, text, nameOf }))
  expect(seen('', 'open')).toEqual([true, false])
  expect(seen('', 'all')).toEqual([true, true])
  expect(seen('', 'limited')).toEqual([false, false])
  expect(seen(' usd coin', 'all')).toEqual([true, true])
  expect(seen('router', 'all')).toEqual([true, false])
  expect(seen('0xB', 'all')).toEqual([false, true])
})

test('a revocation is approve(spender, 0)', () => {
  expect(revocationOf(spender)).toBe(`0x095ea7b3${'0'.repeat(62)}aa${'0'.repeat(64)}`)
})
