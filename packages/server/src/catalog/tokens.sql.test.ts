import { expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import type { Chain } from '../chains/chain.ts'
import { chains } from '../chains/chain-types.ts'
import type { Address } from '../domain/address.ts'
import { createTokenCatalog } from './token-catalog.ts'
import { createTokenStore } from './token-store.ts'
import { createTokens } from './tokens.ts'

const DAY_MS = 86_400_000
const ZED: Address = '0x2000000000000000000000000000000000000001'
const NONE: Address = '0x2000000000000000000000000000000000000002'
const ethereum = chains.find(({ key }) => key === 'ethereum') as Chain

const database = await suiteDatabase('tokens')

let now = Date.now()
const clock = { now: () => now }

/** Token facts of one process. `answers`: contracts that are tokens. `asked`: contracts that it called. */
function process(answers: Set<Address>) {
  const asked: Address[] = []
  const tokens = createTokens<null>({
    ...{ catalog: createTokenCatalog({ chains, configTokens: [] }), store: createTokenStore(database.db), clock },
    readMetadata: async (_, chain, addresses) => {
      asked.push(...addresses)
      const token = (address: Address) => ({ chain, address, symbol: 'ZED', name: 'Zed', decimals: 18, listed: false })
      return new Map(addresses.map((address) => [address, answers.has(address) ? token(address) : null]))
    },
  })
  return { asked, of: () => tokens.of(ethereum) }
}

test('a process finds what another one learned after it had begun, without asking the chain', async () => {
  const [early, late] = [process(new Set([ZED])), process(new Set([ZED]))]
  const [here, there] = [await early.of(), await late.of()]
  await here.load([ZED])
  expect(here.find(ZED)).toBeUndefined()
  await there.learn(null, [ZED])
  await here.load([ZED])
  expect(here.find(ZED)).toMatchObject({ symbol: 'ZED', decimals: 18 })
  await here.learn(null, [ZED, ZED])
  expect([early.asked, late.asked]).toEqual([[], [ZED]])
})

test('a contract that was no token is asked again a day later, and every process then knows', async () => {
  const answers = new Set<Address>()
  const [one, other] = [process(answers), process(answers)]
  const [here, there] = [await one.of(), await other.of()]
  await here.learn(null, [NONE])
  await there.learn(null, [NONE])
  await here.learn(null, [NONE])
  expect([one.asked, other.asked]).toEqual([[NONE], []])
  answers.add(NONE)
  now += DAY_MS + 60_000
  await here.learn(null, [NONE])
  expect([one.asked, here.find(NONE)?.decimals]).toEqual([[NONE, NONE], 18])
  await there.load([NONE])
  expect([other.asked, there.find(NONE)?.decimals]).toEqual([[], 18])
})

test('the decimals of a listed token are those of its contract, which one process asks once', async () => {
  const catalog = createTokenCatalog({ chains, configTokens: [] })
  const [wrong, silent] = catalog.list('ethereum').filter(({ decimals }) => decimals === 6)
  if (!wrong || !silent) throw new Error('no listed tokens of six decimals')
  const [one, other] = [process(new Set([wrong.address])), process(new Set())]
  const [here, there] = [await one.of(), await other.of()]
  await here.check(null, [wrong.address, silent.address, ZED])
  await here.check(null, [wrong.address, silent.address])
  await there.check(null, [wrong.address])
  // The contract answers 18 to the first process.
  const right = { ...wrong, decimals: 18 }
  expect([here, there].map((known) => known.find(wrong.address))).toEqual([right, right])
  expect(here.find(silent.address)).toEqual(silent)
  expect([one.asked, other.asked]).toEqual([[wrong.address, silent.address], []])
  const later = process(new Set())
  expect((await later.of()).find(wrong.address)).toEqual(right)
})
