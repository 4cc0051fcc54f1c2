import { expect, test, vi } from 'vitest'
import { HANGS_MS } from '../../test/hangs.ts'
import type { Chain } from '../chains/chain.ts'
import type { Address } from '../domain/address.ts'
import { createLogger } from '../lib/logger.ts'
import { withTenant } from '../lib/tenant.ts'
import { createRefresh } from './refresh.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The test ends reads and searches, and sees their order. */
function steered() {
  const reads: string[] = []
  const searches: string[] = []
  const ends = new Map<string, () => void>()
  const until = (name: string) => new Promise<void>((resolve) => void ends.set(name, resolve))
  const refresh = createRefresh({
    chains: new Map([['ethereum', { key: 'ethereum' } as Chain]]),
    readingOf: () => ({
      async collect(_, wallet) {
        reads.push(wallet)
        await until(`read ${wallet}`)
        return { read: { wallet, block: 1n }, plan: [] } as never
      },
      async search(_, wallet) {
        searches.push(wallet)
        await until(`search ${wallet}`)
        return { found: false, end: 'whole' as never }
      },
      isReplaced: async () => false,
    }),
    store: { findOne: async () => undefined, save: async () => true, noteSearch: async () => undefined } as never,
    clock: { now: () => 0 },
    log: createLogger({ level: 'silent' }),
  })
  async function end(name: string): Promise<void> {
    ends.get(name)?.()
    await turn()
  }
  return { refresh, reads, searches, end }
}

const names = Array.from({ length: 200 }, (_, i) => `0xf${i}`)
/** Places of one account while it reads alone, and while another one also reads. */
const [ALONE, BESIDE] = [128, 16]

test('a read of another account begins at once, however many wallets of one account wait on the chain', async () => {
  const { refresh, reads, end } = steered()
  const flood = names.map((wallet) => withTenant('1', () => refresh('ethereum', wallet as Address)))
  await turn()
  expect(reads).toEqual(names.slice(0, ALONE))
  const single = withTenant('2', () => refresh('ethereum', '0x51'))
  await turn()
  expect(reads.slice(ALONE)).toEqual(['0x51'])
  for (const wallet of names.slice(0, ALONE - BESIDE)) await end(`read ${wallet}`)
  expect(reads.slice(ALONE + 1)).toEqual([])
  await end(`read ${names[ALONE - BESIDE]}`)
  // After a pause as long as the read.
  await vi.waitFor(() => expect(reads.slice(ALONE + 1)).toEqual([names[ALONE]]), { timeout: HANGS_MS })
  await end('read 0x51')
  await single
  for (const wallet of names.slice(ALONE - BESIDE + 1)) {
    await vi.waitFor(() => expect(reads).toContain(wallet), { timeout: HANGS_MS })
    await end(`read ${wallet}`)
  }
  await Promise.all(flood)
})

test('the search behind the read of another account begins at once, however many of one account go on', async () => {
  const { refresh, reads, searches, end } = steered()
  const flood = names.map((wallet) => withTenant('1', () => refresh('ethereum', wallet as Address)))
  for (const wallet of names) {
    await vi.waitFor(() => expect(reads).toContain(wallet), { timeout: HANGS_MS })
    await end(`read ${wallet}`)
  }
  await Promise.all(flood)
  expect(searches).toEqual(names.slice(0, ALONE))
  const single = withTenant('2', () => refresh('ethereum', '0x51'))
  await turn()
  await end('read 0x51')
  await single
  expect(searches.slice(ALONE)).toEqual(['0x51'])
  for (const wallet of names.slice(0, ALONE - BESIDE)) await end(`search ${wallet}`)
  expect(searches.slice(ALONE + 1)).toEqual([])
  await end(`search ${names[ALONE - BESIDE]}`)
  await vi.waitFor(() => expect(searches.slice(ALONE + 1)).toEqual([names[ALONE]]), { timeout: HANGS_MS })
})
