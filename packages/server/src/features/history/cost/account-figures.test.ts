import { expect, test } from 'vitest'
import { evmAddress } from '../../../domain/evm-address.ts'
import { createAccountFigures } from './account-figures.ts'

const wallet = evmAddress(`0x${'ab'.repeat(20)}`)
const HISTORY = { missing: [] as string[], chainGaps: [], gaps: [], version: 'v', totals: undefined, pools: [] }

function figuresOver(found: { now?: typeof HISTORY }) {
  const at = { now: 1_000_000 }
  const figures = createAccountFigures({
    accounts: { find: async () => found.now },
    clock: { now: () => at.now },
    log: { warn: () => undefined },
  })
  const pass = (ms: number) => {
    at.now += ms
  }
  return { figures, pass }
}

test('that a wallet has no history is believed for five seconds alone, and not by who asks for news', async () => {
  const found: { now?: typeof HISTORY } = {}
  const { figures, pass } = figuresOver(found)
  expect(await figures.get('1', wallet, false)).toBeNull()
  found.now = HISTORY
  pass(4_999)
  expect(figures.findFresh('1', wallet, false)).toBeNull()
  expect(figures.findFresh('1', wallet, true)).toBeUndefined()
  pass(1)
  expect(figures.findFresh('1', wallet, false)).toBeUndefined()
  expect(await figures.get('1', wallet, false)).not.toBeNull()
})

test('who asks for news is told of a history at once; one that is known is answered from memory for a minute', async () => {
  const found: { now?: typeof HISTORY } = {}
  const { figures, pass } = figuresOver(found)
  expect(await figures.get('1', wallet, true)).toBeNull()
  found.now = HISTORY
  expect(await figures.get('1', wallet, false)).toBeNull()
  expect(await figures.get('1', wallet, true)).not.toBeNull()
  pass(4_999)
  expect(figures.findFresh('1', wallet, true)).not.toBeNull()
  expect(figures.findFresh('2', wallet, true)).toBeUndefined()
})

test('figures that lack a chain are believed as briefly', async () => {
  const found: { now?: typeof HISTORY } = { now: { ...HISTORY, missing: ['base'] } }
  const { figures, pass } = figuresOver(found)
  expect((await figures.get('1', wallet, false))?.missing).toEqual(['base'])
  found.now = HISTORY
  expect(figures.findFresh('1', wallet, true)).toBeUndefined()
  pass(5_000)
  expect(figures.findFresh('1', wallet, false)).toBeUndefined()
  expect((await figures.get('1', wallet, true))?.missing).toEqual([])
})
