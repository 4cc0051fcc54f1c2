import { expect, test } from 'vitest'
import { findAsset } from '../../../lib/asset.ts'
import { isRebasingToken } from './contract-directory.ts'
import rebasingTokens from './rebasing-tokens.json' with { type: 'json' }

test('each is the listed token of its symbol on its chains, and on no other', () => {
  for (const { symbol, address, chains } of rebasingTokens) {
    for (const chain of chains) {
      const listed = JSON.parse(findAsset(`tokens/${chain}.json`) ?? '[]') as [string, string][]
      expect(listed.find(([at]) => at === address)?.[1], `${symbol} on ${chain}`).toBe(symbol)
    }
  }
  expect(isRebasingToken('ethereum', '0x2a8e1e676ec238d8a992307b495b45b3feaa5e86')).toBe(true)
  expect(isRebasingToken('base', '0x2a8e1e676ec238d8a992307b495b45b3feaa5e86')).toBe(false)
})
