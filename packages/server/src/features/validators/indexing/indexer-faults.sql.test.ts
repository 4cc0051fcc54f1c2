import { type BeaconDevnet, type Faults, lives, startBeaconDevnet } from '@coffer/beacon-devnet'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { byPath, recorded, startBeaconServer } from '../../../../test/beacon/beacon-server.ts'
import { type Indexing, openIndexing, playLives } from '../../../../test/beacon/indexing.ts'
import { beaconNodes } from '../../../../test/beacon/nodes.ts'
import { testClock } from '../../../../test/harness.ts'
import { deepTest, sized } from '../../../../test/sized.ts'
import { createBeaconPool, createCheckFresh } from '../../../beacon/beacon-pool.ts'
import { createBeaconChain } from '../beacon-chain.ts'
import type { Outcome } from '../registry/outcome-chunk.ts'
import { findDetails } from '../validator-details.ts'

// Regardless of missing or wrong node data, every figure equals a healthy node's, and no epoch is lost.

const VALIDATORS = 67
const EPOCHS = 26
const SLOTS_PER_EPOCH = 8
/** In the middle of the chain, whose blocks exist. */
const EPOCH = 16

let devnet: BeaconDevnet
/** The same chain at another node, ten epochs older. */
let behind: BeaconDevnet
let healthy: Outcome[][]
let toEpoch: number
const opened: Indexing[] = []

const sumsOf = (indexing: Indexing) =>
  Promise.all(Array.from({ length: VALIDATORS }, (_, index) => indexing.sums(index)))

/** No validator is requested. */
async function openAll(...nodes: BeaconDevnet[]): Promise<Indexing> {
  const indexing = await openIndexing(nodes.map(({ beacon }) => beacon))
  opened.push(indexing)
  return indexing
}

async function open(...nodes: BeaconDevnet[]): Promise<Indexing> {
  const indexing = await openAll(...nodes)
  await indexing.track(VALIDATORS)
  return indexing
}

beforeAll(async () => {
  const played = lives({ epochs: EPOCHS, preset: 'minimal', fork: 'fulu' })
  const [ahead, lagging] = await Promise.all([playLives(played), playLives(played, (EPOCHS - 10) * SLOTS_PER_EPOCH)])
  devnet = ahead.devnet
  behind = lagging.devnet
  const indexing = await open(devnet)
  await indexing.run()
  expect(await indexing.missing()).toEqual([])
  healthy = await sumsOf(indexing)
  toEpoch = (await indexing.counted()).toEpoch
})
afterAll(async () => {
  await Promise.all([devnet?.stop(), behind?.stop(), ...opened.map((indexing) => indexing.drop())])
})

async function during<T>(faults: Faults, act: () => Promise<T>): Promise<T> {
  await devnet.setFaults(faults)
  return act().finally(() => devnet.setFaults({}))
}

async function expectHealthy(indexing: Indexing): Promise<void> {
  expect(await indexing.missing()).toEqual([])
  expect(await sumsOf(indexing)).toEqual(healthy)
}

/** Runs on the faulty node, then on the repaired one. Returns the gaps in between. */
async function runThrough(indexing: Indexing, faults: Faults) {
  await during(faults, () => indexing.run())
  const missing = await indexing.missing(0)
  await indexing.run()
  await expectHealthy(indexing)
  return missing.map(({ fromEpoch, toEpoch: last }) => [fromEpoch, last])
}

// Runs first: a failing run leaves requests in progress, which the next test would count.
test('where all are indexed no first request is needed, and a node is asked for each validator once', async () => {
  const indexing = await openAll(devnet)
  await devnet.takeRequests()
  await indexing.run({ all: true })
  const asked = await devnet.takeRequests()
  const timesOf = (pattern: RegExp) => {
    const matching = asked.filter((request) => pattern.test(request))
    return [...Map.groupBy(matching, String).values()].map(({ length }) => length)
  }
  const once = Array.from({ length: toEpoch + 1 }, () => 1)
  expect(timesOf(/rewards\/attestations/)).toEqual(once)
  expect(timesOf(/duties\/proposer/)).toEqual(once)
  expect(Math.max(...timesOf(/committees/))).toBe(1)
  expect(await indexing.missingOfAll()).toEqual([])
  expect(await sumsOf(indexing)).toEqual(healthy)
})

const SAMPLE = [
  'a node that keeps all states and rewards',
  'a node without older states, which says 404',
  'Lodestar with fractions in rewards',
]
const nodes = beaconNodes.filter(({ name }) => sized({ small: SAMPLE.includes(name), deep: true }))
if (nodes.length < SAMPLE.length) throw new Error('the sample names a node that is not there')

test.each(nodes)('$name: details, and rewards as far as it tells them', async ({ cells, ...node }) => {
  const indexing = await open(devnet)
  const faults = node.faults(EPOCH, EPOCH * SLOTS_PER_EPOCH)
  await devnet.setFaults(faults)
  const found = await detailsOf(7)
  const missing = await runThrough(indexing, faults)
  expect(found).toEqual(await detailsOf(7))
  const last = { kept: EPOCH, end: toEpoch }
  expect(missing).toEqual(node.openTo ? [[0, last[node.openTo]]] : [])
  if (node.warning) expect(indexing.warnings[0]).toMatch(node.warning)
  else expect(indexing.warnings).toEqual([])
  expect([found.validator.index === 7 ? 'whole' : 'said', missing.length === 0 ? 'whole' : 'said']).toEqual(cells)
})

function openDetails() {
  const pool = createBeaconPool({ urls: [devnet.beacon] })
  return { pool, chain: createBeaconChain(pool, null), checkFresh: createCheckFresh(testClock()) }
}

/** As the node reports them at this moment. */
const detailsOf = (index: number) => findDetails(openDetails(), index)

test('a validator that the node refuses keeps no other from its details or rewards', async () => {
  const before = await detailsOf(8)
  await during({ answers: [{ path: '/validators/7$', status: 403 }] }, async () => {
    const details = openDetails()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(findDetails(details, 7)).rejects.toMatchObject({ reason: 'not-allowed' })
    }
    expect(await findDetails(details, 8)).toEqual(before)
    const indexing = await open(devnet)
    await indexing.run()
    await expectHealthy(indexing)
  })
})

test.each([
  ['an epoch that fails once is read in the next run', { status: 500, times: 2 }, EPOCH],
  ['nothing is lost where the node hangs up in the middle', { status: 503 }, 0],
])('%s', async (_, answer, fromEpoch) => {
  const answers = [{ path: `/rewards/attestations/${EPOCH}$`, ...answer }]
  expect(await runThrough(await open(devnet), { answers })).toEqual([[fromEpoch, EPOCH]])
})

test('blocks that a node does not have were not missed', async () => {
  const slots = Array.from({ length: SLOTS_PER_EPOCH }, (_, i) => EPOCH * SLOTS_PER_EPOCH + i)
  const answers = [{ path: `/(blocks|headers)/(${slots.join('|')})$`, status: 404 }]
  // The epoch's own blocks, and votes of the previous epoch, which its blocks contain.
  expect((await runThrough(await open(devnet), { answers })).flat()).toContain(EPOCH)
})

deepTest('of two nodes at different heads each is believed about what it has final', async () => {
  const indexing = await open(behind, devnet)
  // The first node decides what counts. Data that it has not finalized comes from the other one.
  await indexing.run()
  expect(await indexing.missing()).toEqual([])
  await indexing.run({ nodes: [devnet.beacon, behind.beacon] })
  const counted = await open(devnet)
  await counted.run({ nodes: [devnet.beacon, behind.beacon] })
  await expectHealthy(counted)
})

test('what the newer node says counts, and the other one is passed over', async () => {
  const indexing = await open(devnet)
  const faults = { answers: [{ path: '/rewards/attestations/', status: 503 }] }
  await during(faults, () => indexing.run({ nodes: [devnet.beacon, behind.beacon] }))
  // The other node lacks the newest epochs: only its finalized data was read.
  expect(await indexing.missing(0)).toEqual([{ fromEpoch: 0, toEpoch }])
  await indexing.run({ nodes: [behind.beacon, devnet.beacon] })
  await indexing.run({ nodes: [devnet.beacon, behind.beacon] })
  await expectHealthy(indexing)
})

test.each([
  { whose: 'those asked for', all: false },
  { whose: 'everyone', all: true },
])('a process that ends after any request leaves what the next one goes on from ($whose)', async ({ all }) => {
  const indexing = all ? await openAll(devnet) : await open(devnet)
  const missing = all ? indexing.missingOfAll : indexing.missing
  for (let requests = 1; (await missing()).length > 0; requests += sized({ small: 12, deep: 3 })) {
    await indexing.run({ all, observe: stopAfter(requests) }).catch(isStopped)
  }
  expect(await sumsOf(indexing)).toEqual(healthy)
})

function stopAfter(requests: number): () => void {
  let left = requests
  return () => {
    left -= 1
    if (left === 0) throw new Error('the process ends')
  }
}
const isStopped = (error: Error) => expect(error.message).toBe('the process ends')

test('a run that is asked to stop ends with what it has', async () => {
  const indexing = await open(devnet)
  const stopping = new AbortController()
  let requests = 0
  const observe = () => {
    requests += 1
    if (requests === 40) stopping.abort()
  }
  await indexing.run({ signal: stopping.signal, observe })
  const [missing, ...others] = await indexing.missing(0)
  expect([missing?.fromEpoch, others]).toEqual([0, []])
  expect(missing?.toEpoch).toBeLessThan(toEpoch)
  await indexing.run()
  expect(await sumsOf(indexing)).toEqual(healthy)
})

test('a node of another chain is asked for nothing', async () => {
  const indexing = await open(devnet)
  const other = await startBeaconServer(
    byPath({ '/eth/v1/beacon/genesis': recorded('genesis'), '/eth/v1/config/spec': recorded('spec') }),
  )
  const nodes = [devnet.beacon, other.url]
  const alone = await open(devnet)
  onTestFinished(() => other.stop())
  await indexing.run({ nodes })
  expect(await sumsOf(indexing)).toEqual(healthy)
  await during({ answers: [{ path: '/rewards/attestations/', status: 404 }] }, () => alone.run({ nodes }))
  const asked = other.asked.map(({ path }) => path)
  expect(asked).toContain('/eth/v1/beacon/genesis')
  expect(asked.filter((path) => path.includes('rewards'))).toEqual([])
  expect(await alone.missing(0)).toEqual([{ fromEpoch: 0, toEpoch }])
})

deepTest('two processes that index everyone at once store each epoch once', async () => {
  const indexing = await openAll(devnet)
  await Promise.all([indexing.run({ all: true }), indexing.run({ all: true })])
  expect(await indexing.missingOfAll()).toEqual([])
  expect(await sumsOf(indexing)).toEqual(healthy)
})

deepTest(
  'what was indexed of those asked for counts beside what was indexed of everyone, and the other way round',
  async () => {
    const indexing = await openAll(devnet)
    await indexing.track(VALIDATORS)
    await indexing.run({ observe: stopAfter(30) }).catch(isStopped)
    const ofSome = await indexing.missing(0)
    await indexing.run({ all: true, observe: stopAfter(160) }).catch(isStopped)
    const ofAll = await indexing.missingOfAll()
    expect([ofSome.length, ofAll.length]).toEqual([1, 1])
    expect(ofAll[0]?.toEpoch).toBeLessThan(ofSome[0]?.toEpoch ?? 0)
    expect(ofAll[0]?.toEpoch).toBeGreaterThan(0)
    await indexing.run()
    await expectHealthy(indexing)
    await indexing.run({ all: true })
    expect(await sumsOf(indexing)).toEqual(healthy)
  },
)

test('of an epoch that becomes final a node is asked for what it was not asked for before', async () => {
  const chain = await startBeaconDevnet({ validators: 16 })
  const indexing = await openIndexing([chain.beacon])
  try {
    const clock = testClock()
    const run = indexing.start({ all: true, clock })
    const runAfter = async (epochs: number) => {
      await chain.advance(epochs * SLOTS_PER_EPOCH)
      clock.advance(60_000)
      await run()
    }
    // The past is read last. After the newest epoch, reading continues from there.
    await runAfter(6)
    await runAfter(1)
    await chain.takeRequests()
    for (let epochs = 0; epochs < 3; epochs += 1) await runAfter(1)
    const states = (await chain.takeRequests()).flatMap((request) => request.match(/states\/\d+\/validators/) ?? [])
    expect(states).toHaveLength(3)
    expect(new Set(states).size).toBe(3)
    expect(indexing.warnings).toEqual([])
  } finally {
    await chain.stop()
    await indexing.drop()
  }
})
