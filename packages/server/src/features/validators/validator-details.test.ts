import { afterEach, expect, test } from 'vitest'
import { type BeaconServer, byPath, recorded, startBeaconServer } from '../../../test/beacon/beacon-server.ts'
import { createBeaconPool, createCheckFresh } from '../../beacon/beacon-pool.ts'
import type { BeaconStatus } from '../../beacon/validator-requests.ts'
import { createBeaconChain } from './beacon-chain.ts'
import { findDetails, presentDetails } from './validator-details.ts'

const times = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const validator = {
  ...{ index: 7, pubkey: `0x${'ab'.repeat(48)}`, slashed: false, balanceGwei: 32_000_000_001n },
  effectiveBalanceGwei: 32_000_000_000n,
  withdrawalCredentials: `0x01${'0'.repeat(22)}${'cd'.repeat(20)}`,
  ...{ activationEpoch: 100, exitEpoch: 200, withdrawableEpoch: 456 },
}
const shown = (status: BeaconStatus, change: object = {}) => presentDetails({ ...validator, status, ...change }, times)

// All epochs are scheduled: the status decides which ones are shown. 100 epochs are 38,400 seconds.
const activated = { activationEpoch: 100, activationTimestamp: 1_606_862_423 }
const waiting = { activationEpoch: null, activationTimestamp: null, exitEpoch: null, withdrawableEpoch: null }
const running = { ...activated, exitEpoch: null, withdrawableEpoch: null }
const exited = { ...activated, exitEpoch: 200, withdrawableEpoch: null }
const done = { ...activated, exitEpoch: 200, withdrawableEpoch: 456 }
test.each([
  ['pending_initialized', 'pending', waiting],
  ['pending_queued', 'pending', waiting],
  ['active_ongoing', 'active_ongoing', running],
  ['active_exiting', 'active_exiting', running],
  ['active_slashed', 'active_slashed', running],
  ['exited_unslashed', 'exited_unslashed', exited],
  ['exited_slashed', 'exited_slashed', exited],
  ['withdrawal_possible', 'withdrawal_possible', done],
  ['withdrawal_done', 'withdrawal_done', done],
] as const)('%s is shown as %s, with what was reached', (status, name, lifecycle) => {
  expect(shown(status)).toMatchObject({ validator: { status: name }, lifecycle })
})

test('amounts are in wei', () => {
  expect(shown('active_ongoing').balance).toEqual({ actual: '32000000001000000000', effective: '32000000000000000000' })
})

test.each([0, 1, 2])('credentials of prefix %i', (prefix) => {
  const credential = `0x0${prefix}${'0'.repeat(22)}${'cd'.repeat(20)}`
  const address = prefix === 1 ? { address: `0x${'cd'.repeat(20)}` } : {}
  expect(shown('active_ongoing', { withdrawalCredentials: credential }).withdrawalCredentials).toEqual({
    ...{ prefix, credential },
    ...address,
  })
})

const servers: BeaconServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())))

const answers = {
  '/eth/v1/beacon/genesis': recorded('genesis'),
  '/eth/v1/config/spec': recorded('spec'),
  '/eth/v1/node/syncing': recorded('syncing'),
  '/eth/v1/beacon/states/head/validators/3': recorded('validator'),
}
const behind = { data: { head_slot: '100', sync_distance: '33', is_syncing: true } }

async function detailsOf(...nodes: Record<string, unknown>[]) {
  const started = await Promise.all(nodes.map((node) => startBeaconServer(byPath(node))))
  servers.push(...started)
  const clock = { time: 1_000_000, now: () => clock.time }
  const pool = createBeaconPool({ urls: started.map(({ url }) => url), clock, limits: { backoffMs: 1 } })
  const context = { pool, chain: createBeaconChain(pool, null), checkFresh: createCheckFresh(clock) }
  return { clock, nodes: started, find: (id: number) => findDetails(context, id) }
}

test('a hundred calls within half a minute take a hundred requests and the three that come first', async () => {
  const { find, nodes } = await detailsOf(answers)
  for (let i = 0; i < 100; i += 1) await find(3)
  expect(nodes[0]?.asked).toHaveLength(103)
})

test('a validator that is not there is NOT_FOUND', async () => {
  const { find } = await detailsOf(answers)
  await expect(find(4)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('of two nodes the lagging one is not believed, until it has caught up', async () => {
  const lagging: Record<string, unknown> = { '/eth/v1/node/syncing': behind }
  const { find, nodes, clock } = await detailsOf(lagging, answers)
  expect(await find(3)).toMatchObject({ validator: { index: 3 } })
  Object.assign(lagging, answers)
  clock.time += 60_000
  const before = nodes[1]?.asked.length
  expect(await find(3)).toMatchObject({ validator: { index: 3 } })
  expect(nodes[1]?.asked).toHaveLength(before ?? 0)
})

test('where the only node lags, or none is there, nothing is answered', async () => {
  const lagging = await detailsOf({ ...answers, '/eth/v1/node/syncing': behind })
  await expect(lagging.find(3)).rejects.toThrow('33 slots behind')
  await expect((await detailsOf()).find(3)).rejects.toMatchObject({ name: 'UpstreamError' })
})
