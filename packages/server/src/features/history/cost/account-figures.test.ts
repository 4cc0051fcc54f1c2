import { expect, test } from 'vitest'
import { evmAddress } from '../../../domain/evm-address.ts'
import { createAccountFigures } from './account-figures.ts'

const wallet = evmAddress(`0x${'ab'.repeat(20)}`)
const HISTORY = { missing: [] as string[], chainGaps: [], gaps: [], version: 'v', totals: undefined, pools: [] }

/** Figures over `found.now`, which changes, and the passing of time. */
function openFigures(now?: typeof HISTORY) {
  const [found, at] = [{ now }, { now: 1_000_000 }]
  const means = { clock: { now: () => at.now }, logger: { warn: () => undefined } }
  const figures = createAccountFigures(async () => found.now, means)
  const pass = (ms: number) => {
    at.now += ms
  }
  return { figures, found, pass }
}

test('that a wallet has no history is believed for five seconds alone, and not by who asks for news', async () => {
  const { figures, found, pass } = openFigures()
  expect(await figures.get('1', wallet, false)).toBeNull()
  found.now = HISTORY
  pass(4_999)
  expect(figures.findFresh('1', wallet, false)).toBeNull()
  expect(figures.findFresh('1', wallet, true)).toBeUndefined()
  pass(1)
  expect(figures.findFresh('1', wallet, false)).toBeUndefined()
  expect(await figures.get('1', wallet, false)).not.toBeNull()
})

test('a request for news reports a history at once; one that is known is answered from memory for a minute', async () => {
  const { figures, found, pass } = openFigures()
  expect(await figures.get('1', wallet, true)).toBeNull()
  found.now = HISTORY
  expect(await figures.get('1', wallet, false)).toBeNull()
  expect(await figures.get('1', wallet, true)).not.toBeNull()
  pass(4_999)
  expect(figures.findFresh('1', wallet, true)).not.toBeNull()
  expect(figures.findFresh('2', wallet, true)).toBeUndefined()
})

test('figures that lack a chain are believed as briefly', async () => {
  const { figures, found, pass } = openFigures({ ...HISTORY, missing: ['base'] })
  expect((await figures.get('1', wallet, false))?.missing).toEqual(['base'])
  found.now = HISTORY
  expect(figures.findFresh('1', wallet, true)).toBeUndefined()
  pass(5_000)
  expect(figures.findFresh('1', wallet, false)).toBeUndefined()
  expect((await figures.get('1', wallet, true))?.missing).toEqual([])
})
