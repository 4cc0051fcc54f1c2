import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { createInstrumentStore } from '../../../knowledge/instrument-store.ts'
import { createStrangerStore } from '../../../knowledge/stranger-store.ts'
import { createLogger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../kinds.ts'
import type { Tokens } from '../../tokens.ts'
import type { Adapter, Instrument } from '../families/family.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { createInstruments } from './instruments.ts'
import { createStrangers } from './strangers.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('instruments')
})
afterAll(() => database.drop())

const vault = (digit: string): Instrument => ({
  address: evmAddress(`0x${digit.repeat(40)}`),
  role: 'vault',
  fungible: true,
  underlyings: [],
})

const reader = {} as EvmReader
const clock = { now: () => 0 }
const log = createLogger({ level: 'silent' })
const nothing = async () => undefined
const tokens: Tokens<EvmReader> = {
  of: async () => ({ find: () => undefined, isSpam: () => false, load: nothing, keep: nothing, learn: nothing }),
}

/** A row whose node does not answer before `answer` is called. */
function rowWithoutNode() {
  let answers = false
  const adapter = {
    id: 'vaults {}',
    family: 'vaults',
    key: 'vaults',
    name: 'Vaults',
    chain: 'ethereum',
    siteUrl: undefined,
    contracts: [],
    readsEveryWallet: false,
    history: { purposes: {} },
    poolFactory: undefined,
    discover: async () => {
      if (!answers) throw new UpstreamError('unavailable', 'no endpoint can be asked')
      return [vault('1')]
    },
    recognise: async () => [],
    eachAlone: false,
    keyLogs: [],
    provesKeys: false,
    vouches: () => true,
    positions: async () => [],
    decompose: async () => undefined,
  } satisfies Adapter
  return { adapter, answer: () => (answers = true) }
}

test('a row that was never listed is not taken for listed because a log led to one of its contracts, or to none', async () => {
  const { adapter, answer } = rowWithoutNode()
  const instruments = createInstruments({
    adapters: [adapter],
    store: createInstrumentStore(database.db),
    strangers: createStrangers({ store: createStrangerStore(database.db), tokens, log }),
    tokens,
    openReader: () => reader,
    clock,
    log,
  })
  const chain = chains.find(({ key }) => key === 'ethereum') as Chain
  for (const found of [[], [vault('2')]]) {
    await expect(instruments.allOf(chain)).rejects.toThrow('no endpoint can be asked')
    await instruments.add(chain, adapter, reader, found)
  }
  await expect(instruments.allOf(chain)).rejects.toThrow('no endpoint can be asked')
  answer()
  expect(await instruments.allOf(chain)).toEqual([{ adapter, instruments: [vault('1'), vault('2')] }])
})
