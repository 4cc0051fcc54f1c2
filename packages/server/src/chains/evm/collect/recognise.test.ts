import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { withTenant } from '../../../lib/tenant.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import type { Tokens } from '../../tokens.ts'
import type { ProtocolAdapter, ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { EvmContext } from './evm-context.ts'
import type { ProtocolContracts } from './protocol-contracts.ts'
import { createRecognise } from './recognise.ts'
import { createUntrustedContracts, type UntrustedContracts } from './untrusted-contracts.ts'

const HOUR = 3_600_000
const chain = { key: 'ethereum' } as Chain
const listedPair: EvmAddress = '0x00000000000000000000000000000000000000a1'
const listedCoin: EvmAddress = '0x00000000000000000000000000000000000000a2'
const vault: EvmAddress = '0x00000000000000000000000000000000000000b1'
const coin: EvmAddress = '0x00000000000000000000000000000000000000b2'
const noToken: EvmAddress = '0x00000000000000000000000000000000000000c1'
const isPair = (address: EvmAddress) => address === listedPair || address === vault

function open(
  onStep: (found: readonly EvmAddress[]) => Promise<void> = async () => undefined,
  wait: (ms: number) => Promise<void> = () => nextTurn(),
) {
  const asked: EvmAddress[][] = []
  const known: ProtocolContract[] = []
  let now = 0
  let isDown = false
  const deployment = { adapter: { recognise: async () => [] } } as unknown as ProtocolDeployment
  const protocolContracts: Partial<ProtocolContracts> = {
    rowsOf: async () => [{ deployment, protocolContracts: known }],
    add: async (_chain, _row, _reader, found) => void known.push(...found),
  }
  const untrustedContracts: Partial<UntrustedContracts> = {
    async recognise(_chain, _row, _reader, found) {
      if (found.length > 0) asked.push([...found])
      await onStep(found)
      return found
        .filter(isPair)
        .map((address) => ({ address, role: 'pair', fungible: true, underlyings: [listedCoin, coin] }))
    },
  }
  const tokens = {
    of: async () => ({
      find: (address: EvmAddress) =>
        address === noToken ? undefined : { listed: address === listedPair || address === listedCoin },
      learn: async () => {
        if (isDown) throw new UpstreamError('unavailable', 'down')
      },
      check: async () => undefined,
    }),
  }
  const context: Partial<EvmContext> = {
    protocolContracts: protocolContracts as ProtocolContracts,
    untrustedContracts: untrustedContracts as UntrustedContracts,
    tokens: tokens as unknown as Tokens<EvmReader>,
    openPatient: () => ({}) as EvmReader,
    ...{ clock: { now: () => now }, timer: { now: () => now, wait } },
  }
  const { ask: recognise } = createRecognise(context as EvmContext)
  return { recognise, asked, later: (ms: number) => (now += ms), break: (down: boolean) => (isDown = down) }
}

test('a contract of a protocol is recognised whether a list names it or not', async () => {
  const { recognise } = open()
  expect(await recognise(chain, [listedPair, listedCoin, vault, coin])).toEqual(new Set([listedPair, vault]))
})

test('a contract is asked about once a day, for whichever wallet', async () => {
  const { recognise, asked, later } = open()
  await recognise(chain, [listedCoin, coin])
  later(23 * HOUR)
  await recognise(chain, [listedCoin, coin])
  expect(await recognise(chain, [listedCoin])).toEqual(new Set())
  later(HOUR)
  await recognise(chain, [listedCoin, coin])
  expect(asked).toEqual([listedCoin, listedCoin].map((listed) => [listed, coin]))
  // The same address on another chain is another token.
  await recognise({ key: 'base' } as Chain, [listedCoin])
  expect(asked[2]).toEqual([listedCoin])
})

test('a contract that is no token is asked about once a day too, and one whose node failed at the next read', async () => {
  const { recognise, asked, break: breakNode } = open()
  breakNode(true)
  await expect(recognise(chain, [noToken])).rejects.toThrow('down')
  breakNode(false)
  await recognise(chain, [noToken])
  await recognise(chain, [noToken, coin])
  expect(asked).toEqual([[noToken], [noToken], [coin]])
})

test('what a recognised contract stands for is asked about too, each once', async () => {
  const { recognise, asked } = open()
  expect(await recognise(chain, [vault])).toEqual(new Set([vault]))
  await recognise(chain, [listedPair])
  expect(asked).toEqual([[vault], [listedCoin, coin], [listedPair]])
})

const junkOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i): EvmAddress => `0x9${(from + i).toString(16).padStart(39, '0')}`)

test('a flood is asked about in steps of twenty, one at a time, and a contract of another account waits for one of them', async () => {
  let running = 0
  let most = 0
  const flood = junkOf(0, 1_000)
  const { recognise, asked } = open(async () => {
    running += 1
    most = Math.max(most, running)
    await nextTurn()
    running -= 1
  })
  const ended: string[] = []
  const of = (account: string, contracts: EvmAddress[]) =>
    withTenant(account, () => recognise(chain, contracts)).then(() => ended.push(account))
  const attack = of('attacker', flood)
  await nextTurn()
  const honest = of('honest', [vault])
  await honest
  // The step in progress, and at most one that began with the honest contract.
  const before = asked.findIndex((page) => page.includes(vault))
  expect(before).toBeLessThanOrEqual(2)
  await attack
  expect(ended).toEqual(['honest', 'attacker'])
  expect(asked.every((page) => page.length <= 20)).toBe(true)
  // Fifty steps of the flood, the honest contract and its underlying.
  expect(asked).toHaveLength(52)
  expect(most).toBeLessThanOrEqual(2)
})

test('wallets of an account share steps, and a failing one fails no other', async () => {
  const bad = junkOf(9_000, 1)[0] as EvmAddress
  const { recognise, asked } = open(async (found) => {
    if (found.includes(bad)) throw new UpstreamError('unavailable', 'down')
  })
  const wallets = [[coin], [listedCoin, coin], [bad], [vault], junkOf(0, 16), junkOf(20, 2)]
  const answers = await Promise.allSettled(wallets.map((contracts) => recognise(chain, contracts)))
  expect(answers.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  ])
  expect(answers[3]).toMatchObject({ value: new Set([vault]) })
  // The first five wallets name twenty contracts. Their step fails and is repeated for each.
  expect(asked.map((page) => page.length)).toEqual([20, 1, 1, 1, 1, 16, 2])
})

test('an account rests between its steps twice as long as each took, and no answer waits for it', async () => {
  const waits: number[] = []
  const ends: (() => void)[] = []
  const rest = (ms: number) => {
    waits.push(ms)
    return new Promise<void>((resolve) => void ends.push(resolve))
  }
  const { recognise, asked, later } = open(async () => void later(100), rest)
  const of = (account: string, contracts: EvmAddress[]) => withTenant(account, () => recognise(chain, contracts))
  await of('attacker', junkOf(0, 20))
  expect(waits).toEqual([200])
  const next = of('attacker', junkOf(20, 1))
  await of('honest', [listedCoin])
  expect(asked.map((page) => page.length)).toEqual([20, 1])
  ends[0]?.()
  await next
  expect(asked.map(([first]) => first)).toEqual([...junkOf(0, 1), listedCoin, ...junkOf(20, 1)])
})

test('a contract that makes a protocol refuse is none of it, and the others of its step are asked without it', async () => {
  const bad = junkOf(9_000, 1)[0] as EvmAddress
  const calls: number[] = []
  const tokens = { of: async () => ({ find: () => undefined }) } as unknown as Tokens<never>
  const store = { addresses: async () => [], drop: async () => undefined }
  const untrustedContracts = createUntrustedContracts(store, tokens, {} as never)
  const rowThat = (recognise: ProtocolAdapter<unknown>['recognise']) =>
    ({ adapter: { recognise } }) as unknown as ProtocolDeployment
  const row = rowThat(async ({ tokens: asked }) => {
    calls.push(asked.length)
    if (asked.includes(bad)) throw new Error('an answer that cannot be decoded')
    return asked.filter(isPair).map((address) => ({ address, role: 'pair', fungible: true, underlyings: [] }))
  })
  const found = [...junkOf(0, 20), bad, vault, ...junkOf(40, 28)]
  const recognised = await untrustedContracts.recognise(chain, row, {} as EvmReader, found)
  expect(recognised.map(({ address }) => address)).toEqual([vault])
  // Halves, down to the contract alone: at most two calls a level.
  expect(calls.length).toBeLessThanOrEqual(13)
  const failing = rowThat(() => Promise.reject(new UpstreamError('unavailable', 'no node')))
  await expect(untrustedContracts.recognise(chain, failing, {} as EvmReader, found)).rejects.toThrow('no node')
})
