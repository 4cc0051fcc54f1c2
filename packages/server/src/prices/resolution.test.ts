import { expect, test } from 'vitest'
import { decimal } from '../domain/decimal.ts'
import { heldBy, LiquidityBudget } from '../domain/liquidity.ts'
import type { Token } from '../domain/token.ts'
import { Demand, type Resolution } from './resolution.ts'

const tokenAt = (address: `0x${string}`): Token => ({
  chain: 'ethereum',
  address,
  symbol: 'T',
  name: 'T',
  decimals: 0,
  listed: true,
})
const asset = tokenAt('0x00000000000000000000000000000000000000a1')
const vault = tokenAt('0x00000000000000000000000000000000000000b1')

test('the paid share of a receipt is rounded down, so that its value never exceeds what was paid', () => {
  const usd = decimal('1')
  const price = { chain: 'ethereum', token: asset.address, usd, source: 'chainlink', confidence: 1 } as const
  const of: Resolution = { token: asset, quote: { price } }
  const part = { amountRaw: 1n, of, backing: { ways: [[heldBy(asset.address, vault.address, 2n)]] } }
  const receipt = { token: vault, probeRaw: 1n, parts: [part] }
  const demand = new Demand(new LiquidityBudget())
  demand.add(receipt, 3n)
  expect(demand.quotedRaw(asset.address)).toBe(2n)
  const share = demand.paidShare(receipt, part)
  expect(share.toFixed()).toBe(`0.${'6'.repeat(60)}`)
  expect(share.times('3').lte('2')).toBe(true)
})
