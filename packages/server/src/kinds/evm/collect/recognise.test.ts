import { expect, test } from 'vitest'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { Tokens } from '../../tokens.ts'
import type { Adapter, Instrument } from '../families/family.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Instruments } from './instruments.ts'
import { createRecognise } from './recognise.ts'
import type { Strangers } from './strangers.ts'

const HOUR = 3_600_000
const chain = { key: 'ethereum' } as Chain
const listedPair: EvmAddress = '0x00000000000000000000000000000000000000a1'
const listedCoin: EvmAddress = '0x00000000000000000000000000000000000000a2'
const vault: EvmAddress = '0x00000000000000000000000000000000000000b1'
const coin: EvmAddress = '0x00000000000000000000000000000000000000b2'
const isPair = (address: EvmAddress) => address === listedPair || address === vault

function open() {
  const asked: EvmAddress[][] = []
  const known: Instrument[] = []
  let now = 0
  const instruments: Pick<Instruments, 'rowsOf' | 'add'> = {
    rowsOf: async () => [{ adapter: {} as Adapter, instruments: known }],
    add: async (_chain, _row, _reader, found) => {
      known.push(...found)
    },
  }
  const strangers: Pick<Strangers, 'recognise'> = {
    async recognise(_chain, _row, _reader, found) {
      if (found.length > 0) asked.push([...found])
      return found
        .filter(isPair)
        .map((address) => ({ address, role: 'pair', fungible: true, underlyings: [listedCoin, coin] }))
    },
  }
  const tokens = {
    of: async () => ({
      find: (address: EvmAddress) => ({ listed: address === listedPair || address === listedCoin }),
      learn: async () => undefined,
    }),
  }
  const recognise = createRecognise({
    instruments: instruments as Instruments,
    strangers: strangers as Strangers,
    tokens: tokens as unknown as Tokens<EvmReader>,
    openReader: () => ({}) as EvmReader,
    clock: { now: () => now },
  })
  return { recognise, asked, later: (ms: number) => (now += ms) }
}

test('a contract of a protocol is recognised whether a list names it or not', async () => {
  const { recognise } = open()
  expect(await recognise(chain, [listedPair, listedCoin, vault, coin])).toEqual(new Set([listedPair, vault]))
})

test('a listed token is asked about once a day, for whichever wallet; others each time', async () => {
  const { recognise, asked, later } = open()
  await recognise(chain, [listedCoin, coin])
  later(23 * HOUR)
  await recognise(chain, [listedCoin, coin])
  expect(await recognise(chain, [listedCoin])).toEqual(new Set())
  later(HOUR)
  await recognise(chain, [listedCoin, coin])
  expect(asked).toEqual([[listedCoin, coin], [coin], [listedCoin, coin]])
})

test('what a recognised contract stands for is asked about too, each once', async () => {
  const { recognise, asked } = open()
  expect(await recognise(chain, [vault])).toEqual(new Set([vault]))
  await recognise(chain, [listedPair])
  expect(asked).toEqual([[vault], [listedCoin, coin], [listedPair], [coin]])
})

test('the same address on another chain is another token', async () => {
  const { recognise, asked } = open()
  await recognise(chain, [listedCoin])
  await recognise({ key: 'base' } as Chain, [listedCoin])
  expect(asked).toEqual([[listedCoin], [listedCoin]])
})
