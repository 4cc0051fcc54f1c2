import { expect, test } from 'vitest'
import { decimal } from '../../domain/decimal.ts'
import type { ValuedAsset, ValuedRead } from '../../domain/valuation.ts'
import { isPast, judgeBalance, judgeNetWorth } from './judge-wallet.ts'

const NOW = Date.UTC(2027, 0, 1)
const MINUTE = 60_000

function asset(address: string, balance: string, price: string | null, listed = true): ValuedAsset {
  const [amount, usd] = [decimal(balance), decimal(price ?? '0')]
  return {
    token: { address, symbol: address, name: address, decimals: 18, listed },
    ...{ balance: amount, price: usd, priceSource: price === null ? null : 'feed', value: amount.times(usd) },
  }
}

function read(chain: string, ageMs: number, held: ValuedAsset[], borrowed: ValuedAsset[] = []): ValuedRead {
  const [position] = borrowed.map((owed) => ({
    supplied: [],
    rewards: [],
    borrowed: [owed],
    value: owed.value.times('-1'),
  }))
  const value = held.reduce((total, one) => total.plus(one.value), position?.value ?? decimal('0'))
  return {
    read: { chain, readAt: NOW - ageMs, gaps: [] },
    ...{ direct: held, held, value },
    positions: position ? [{ ...position, position: { protocol: 'aave', kind: 'LENDING', label: '' } as never }] : [],
  }
}

const WALLET = '0xa'
const judge = (reads: ValuedRead[], known: Record<string, boolean> | null = null, knownAt = NOW) =>
  judgeNetWorth({ address: WALLET, reads, incomplete: [] }, { known, knownAt, now: NOW })

test('a read of more than five minutes ago proves nothing, of its own chain alone for a balance', () => {
  const reads = [
    read('ethereum', 5 * MINUTE, [asset('a', '2', '3')]),
    read('base', 5 * MINUTE + 1, [asset('b', '1', '1')]),
  ]
  expect(judge(reads)).toEqual({ gaps: [{ chain: 'base', reason: 'stale' }] })
  const balanceOn = (chain: string, contract: string) =>
    judgeBalance(
      { address: WALLET, reads, incomplete: [] },
      { chain, contract, isListed: true, wasKnown: false, now: NOW },
    )
  expect(balanceOn('ethereum', 'a')).toEqual({ value: decimal('2'), known: null })
  expect(balanceOn('base', 'b')).toEqual({ gaps: [{ chain: 'base', reason: 'stale' }] })
})

test('what is listed and was not known to have no price must have one, debts always; of untrusted tokens nothing is asked', () => {
  const bait = asset('bait', '1000000', null, false)
  const priced = [read('base', 0, [asset('a', '2', '3'), bait], [asset('debt', '1', '1')])]
  expect(judge(priced)).toEqual({ value: decimal('5'), known: { 'base a': true } })
  const owesUnpriced = [read('base', 0, [asset('a', '2', '3')], [asset('debt', '1', null)])]
  const gaps = [{ chain: 'base', protocol: 'aave', reason: 'unpriced-debt' }]
  expect(judge(owesUnpriced, { 'base a': true })).toEqual({ gaps })
  expect(judge(owesUnpriced)).toEqual({ gaps })
  expect(judge(owesUnpriced, { 'base a': true }, NOW - 48 * 60 * MINUTE)).toEqual({ gaps })
  const untrusted = [read('base', 0, [asset('pooled', '1', null, false)])]
  expect(judge(untrusted, { 'base pooled': true })).toEqual({ value: decimal('0'), known: {} })
  const lost = [read('base', 0, [asset('pooled', '1', null)])]
  expect(judge(lost, { 'base pooled': true })).toMatchObject({ gaps: [{ contract: 'pooled' }] })
  expect(judge(lost, { 'base pooled': true }, NOW - 24 * 60 * MINUTE)).toMatchObject({ gaps: [{ contract: 'pooled' }] })
  expect(judge(lost, { 'base pooled': true }, NOW - 24 * 60 * MINUTE - 1)).toMatchObject({
    value: decimal('0'),
    known: { 'base pooled': false },
  })
})

test('contracts that are still to be asked hold net worth up no longer, blocks that are still to be searched do', () => {
  const state = {
    address: WALLET,
    reads: [read('base', 0, [asset('a', '2', '3')])],
    incomplete: [{ chain: 'base', reason: 'searching' as const }],
  }
  const terms = { known: null, knownAt: NOW, now: NOW }
  expect(judgeNetWorth(state, terms)).toEqual({ gaps: [{ chain: 'base', reason: 'searching' }] })
  expect(judgeNetWorth({ ...state, unasked: ['base'] }, terms)).toMatchObject({ value: decimal('6') })
})

const at = (isAbove: boolean, threshold: string, isPastBefore: boolean | null, value: string) =>
  isPast({ isAbove, threshold: decimal(threshold), isPast: isPastBefore }, decimal(value))

test('a threshold is passed beyond it, and left once the value has come back by 2 % of it', () => {
  expect(['1000', '1000.000000000000000001'].map((value) => at(true, '1000', false, value))).toEqual([false, true])
  expect(['980.000000000000000001', '980'].map((value) => at(true, '1000', true, value))).toEqual([true, false])
  expect(['1000', '999.999999999999999999'].map((value) => at(false, '1000', false, value))).toEqual([false, true])
  expect(['1019.999999999999999999', '1020'].map((value) => at(false, '1000', true, value))).toEqual([true, false])
})

test('of what is not known yet the value alone says it, and nothing is above nothing', () => {
  expect([at(true, '1000', null, '990'), at(false, '1000', null, '1010')]).toEqual([false, false])
  expect([at(true, '0', false, '0'), at(true, '0', false, '0.1'), at(true, '0', true, '0')]).toEqual([
    false,
    true,
    false,
  ])
  expect(at(false, '10', false, '-5')).toBe(true)
})
