import { expect, test } from 'vitest'
import { testAddress } from '../../../../test/test-tokens.ts'
import type { PlannedCall } from '../reader/evm-reader.ts'
import { createForesight } from './foresight.ts'

const wallets = Array.from({ length: 2_000 }, (_, i) => testAddress(31, i + 1))
const walletOf = (i: number) => wallets[i] ?? testAddress(31, 0)
const feed = testAddress(32, 1)
const market = testAddress(32, 2)

const price: PlannedCall = { to: feed, data: '0x01' }
const positionOf = (wallet: string): PlannedCall => ({ to: market, data: `0x02${wallet.slice(2)}`, lens: 'positions' })

test('what a quarter of first reads asked later is asked ahead, with the wallet in its place', () => {
  const foresight = createForesight()
  for (let i = 0; i < 8; i += 1) {
    const plan = [...(i % 2 === 0 ? [price] : []), ...(i % 4 === 0 ? [positionOf(walletOf(i))] : [])]
    const own: PlannedCall[] = [
      { to: feed, data: `0x0${i}ff` },
      { to: feed, data: '0x03', lens: 'sale', standIn: { at: walletOf(i), lens: feed } },
    ]
    foresight.note('ethereum', walletOf(i), [...plan, ...own])
  }
  expect(foresight.planOf('ethereum', walletOf(9))).toEqual([price, positionOf(walletOf(9))])
  expect(foresight.planOf('base', walletOf(9))).toEqual([])
})

test('a call about holdings is one call for all callers', () => {
  const foresight = createForesight()
  const pools: PlannedCall = { to: market, data: '0x04', lens: 'pools', held: { tokenAt: 4, ownerAt: 36 } }
  for (let i = 0; i < 4; i += 1) foresight.note('ethereum', walletOf(i), [pools])
  expect(foresight.planOf('ethereum', walletOf(9))).toEqual([pools])
})

test('nothing is foreseen of a few wallets', () => {
  const foresight = createForesight()
  for (let i = 0; i < 3; i += 1) foresight.note('ethereum', walletOf(i), [price])
  expect(foresight.planOf('ethereum', walletOf(9))).toEqual([])
  foresight.note('ethereum', walletOf(3), [price])
  expect(foresight.planOf('ethereum', walletOf(9))).toEqual([price])
})

test('what wallets no longer ask is forgotten, and what they ask now is foreseen', () => {
  const foresight = createForesight()
  for (let i = 0; i < 300; i += 1) foresight.note('ethereum', walletOf(i), [price])
  for (let i = 300; i < 1_500; i += 1) foresight.note('ethereum', walletOf(i), [positionOf(walletOf(i))])
  expect(foresight.planOf('ethereum', walletOf(1_600))).toEqual([positionOf(walletOf(1_600))])
})

test('what is asked ahead is bounded in calls and in bytes, the most frequent first', () => {
  const foresight = createForesight()
  const many = Array.from(
    { length: 100 },
    (_, i): PlannedCall => ({ to: feed, data: `0x${String(i).padStart(8, '0')}` }),
  )
  const long: PlannedCall = { to: market, data: `0x${'ab'.repeat(17_000)}` }
  for (let i = 0; i < 4; i += 1) foresight.note('ethereum', walletOf(i), [price, ...(i % 2 === 0 ? many : [long])])
  const plan = foresight.planOf('ethereum', walletOf(9))
  expect([plan[0], plan.length]).toEqual([price, 64])
  const other = createForesight()
  for (let i = 0; i < 4; i += 1) other.note('ethereum', walletOf(i), [price, ...(i % 2 === 0 ? [long] : [])])
  expect(other.planOf('ethereum', walletOf(9))).toEqual([price])
})
