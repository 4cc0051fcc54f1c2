import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { testDatabase } from '../../../../test/database.ts'
import { createProtocolContractStore, createUntrustedContractStore } from '../../../catalog/protocol-contract-store.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { createLogger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import type { Tokens } from '../../tokens.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { createProtocolContracts } from './protocol-contracts.ts'
import { createUntrustedContracts } from './untrusted-contracts.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('protocol_contracts')
})
afterAll(() => database.drop())

const vault = (digit: string): ProtocolContract => ({
  address: evmAddress(`0x${digit.repeat(40)}`),
  role: 'vault',
  fungible: true,
  underlyings: [],
})

const reader = {} as EvmReader
const chain = chains.find(({ key }) => key === 'ethereum') as Chain
const log = createLogger({ level: 'silent' })
const nothing = async () => undefined
const tokens = { of: async () => ({ find: nothing, keep: nothing, learn: nothing }) } as unknown as Tokens<EvmReader>

function deploymentThat(id: string, discover: () => Promise<ProtocolContract[]>): ProtocolDeployment {
  return {
    ...{ id, key: 'vaults', name: 'Vaults', chain: 'ethereum', contracts: [], deployment: {} },
    adapter: { name: 'vaults', deployment: z.unknown(), rows: [], discover, positions: async () => [] },
    ...{ keyLogs: [], history: { purposes: {} }, poolFactory: undefined },
    positions: async () => [],
    decompose: async () => undefined,
  }
}

/** The node of this deployment does not answer before `answer` is called. */
function rowWithoutNode(id: string) {
  const node = { answers: false, asked: 0 }
  const deployment = deploymentThat(id, async () => {
    node.asked += 1
    if (!node.answers) throw new UpstreamError('unavailable', 'no endpoint can be asked')
    return [vault('1')]
  })
  return { deployment, node }
}

/** The state of a process that has just started. */
function open(deployment: ProtocolDeployment, clock: Clock = { now: () => 0 }) {
  return createProtocolContracts({
    deployments: [deployment],
    store: createProtocolContractStore(database.db),
    untrustedContracts: createUntrustedContracts(createUntrustedContractStore(database.db), tokens, log),
    tokens,
    openReader: () => reader,
    clock,
    log,
  })
}

test('a row that was never listed is not taken for listed because a log led to one of its contracts, or to none', async () => {
  const { deployment, node } = rowWithoutNode('vaults {}')
  const protocolContracts = open(deployment)
  for (const found of [[], [vault('2')]]) {
    await expect(protocolContracts.allRowsOf(chain, [])).rejects.toThrow('no endpoint can be asked')
    await protocolContracts.add(chain, deployment, reader, found)
  }
  await expect(protocolContracts.allRowsOf(chain, [])).rejects.toThrow('no endpoint can be asked')
  node.answers = true
  const listed = [{ deployment, protocolContracts: [vault('1'), vault('2')] }]
  expect(await protocolContracts.allRowsOf(chain, [])).toEqual(listed)
})

test('what a process finds or lists of a row, another one has at its next look, and does not list again', async () => {
  const { deployment, node } = rowWithoutNode('vaults of two processes')
  node.answers = true
  const [first, second] = [open(deployment, systemClock), open(deployment, systemClock)]
  const listed = (...digits: string[]) => [{ deployment, protocolContracts: digits.map(vault) }]
  expect(await first.rowsOf(chain, [])).toEqual(listed('1'))
  expect(await second.rowsOf(chain, [])).toEqual(listed('1'))
  await first.add(chain, deployment, reader, [vault('3')])
  expect(await second.rowsOf(chain, [vault('4').address])).toEqual(listed('1'))
  expect(await second.rowsOf(chain, [vault('3').address])).toEqual(listed('1', '3'))
  expect(await second.allRowsOf(chain, [])).toEqual(listed('1', '3'))
  expect(node.asked).toBe(1)
})

test('a row that no node listed for one process is taken from another one that could', async () => {
  const time = { now: Date.now() }
  const clock = { now: () => time.now }
  const [without, withNode] = [rowWithoutNode('vaults of one node'), rowWithoutNode('vaults of one node')]
  const [first, second] = [open(without.deployment, clock), open(withNode.deployment, clock)]
  const listedBy = async ({ rowsOf }: typeof first) =>
    (await rowsOf(chain, [])).map(({ protocolContracts }) => protocolContracts)
  expect(await listedBy(first)).toEqual([undefined])
  withNode.node.answers = true
  expect(await listedBy(second)).toEqual([[vault('1')]])
  time.now += 60_000
  expect(await listedBy(first)).toEqual([[vault('1')]])
  expect([without.node.asked, withNode.node.asked]).toEqual([1, 1])
})

test('what a contract also shows is kept for other processes', async () => {
  const store = createProtocolContractStore<EvmAddress>(database.db)
  const shown = { ...vault('8'), alsoShown: [vault('9').address] }
  await store.add('ethereum', 'markets {}', [shown, vault('7')])
  await store.markDiscovered('ethereum', 'markets {}')
  expect((await store.find('ethereum', 'markets {}'))?.protocolContracts).toEqual([vault('7'), shown])
  await store.add('ethereum', 'markets {}', [vault('8')])
  expect((await store.findAmong('ethereum', [shown.address])).get('markets {}')).toEqual([vault('8')])
})
