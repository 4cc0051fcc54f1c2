import { expect, test } from 'vitest'
import type { Chain } from '../../chains/chain.ts'
import { onBehalfOf } from '../../lib/fair-gate.ts'
import { createLogger } from '../../lib/logger.ts'
import { createRefresh } from './refresh.ts'

test('a read of another account is next, however many wallets of one account wait on the chain', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refresh = createRefresh({
    chains: new Map([['ethereum', { key: 'ethereum' } as Chain]]),
    async collect(_, wallet) {
      begun.push(wallet)
      await new Promise<void>((resolve) => ends.push(resolve))
      return { read: { block: 1n }, plan: [] } as never
    },
    store: { findOne: async () => undefined, save: async () => true, noteSearch: async () => undefined } as never,
    discovery: { advance: async () => ({ found: false, end: 'whole' as never }) },
    isReplaced: async () => false,
    clock: { now: () => 0 },
    log: createLogger({ level: 'silent' }),
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const flood = Array.from({ length: 30 }, (_, i) => onBehalfOf('1', () => refresh('ethereum', `0xf${i}`)))
  await turn()
  const underWay = begun.length
  const single = onBehalfOf('2', () => refresh('ethereum', '0x51'))
  await turn()
  ends[0]?.()
  ends[1]?.()
  await turn()
  expect(begun.slice(underWay)).toContain('0x51')
  expect(begun).toHaveLength(underWay + 2)
  for (let i = 2; i < 31; i += 1) {
    ends[i]?.()
    await turn()
  }
  await Promise.all([...flood, single])
})
