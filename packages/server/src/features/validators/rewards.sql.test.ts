import { PassThrough } from 'node:stream'
import { LONGEST_REWARD_RANGE, validatorEndpoints } from '@coffer/contract'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { range as epochs, epochsOf, pubkeyOf, epochRow as row } from '../../../test/beacon/add-up.ts'
import { testDatabase } from '../../../test/database.ts'
import { createMemoryGates } from '../../../test/memory-gates.ts'
import type { BeaconTimes, EpochRange } from '../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../domain/validator-epoch.ts'
import { createApp } from '../../http/app.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { validatorRoutes } from './module.ts'
import { createRegistryStore } from './registry/registry-store.ts'
import type { FindValidator } from './tracking.ts'
import { createValidatorStore } from './validator-store.ts'

const MAINNET: BeaconTimes = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }

let counted: EpochRange
let tracked: number
let isDown: boolean
let asked: (number | string)[]

/** Validators 0 to 99 exist; from 90 on they are new. */
const findValidator: FindValidator = async (by) => {
  if (isDown) throw new UpstreamError('unavailable', 'https://secret.example is away')
  asked.push(by)
  const index = typeof by === 'number' ? by : Array.from({ length: 100 }, (_, i) => i).find((i) => pubkeyOf(i) === by)
  return index === undefined || index > 99 ? undefined : { index, pubkey: pubkeyOf(index), isFinal: index < 90 }
}

const database = await testDatabase('rewards')
const store = createValidatorStore(database.db)
const memory = createMemoryGates()
const context = {
  ...{ store, registry: createRegistryStore(database.db), reach: 'tracked', findValidator },
  chain: { facts: async () => ({ times: MAINNET }), countedEpochs: async () => counted },
  onTracked: () => (tracked += 1),
}
const service = await createApp({
  endpoints: validatorEndpoints,
  handlers: validatorRoutes(context as never, { isConfigured: true }),
  gates: memory.gates,
  logger: createLogger({ level: 'silent', stream: new PassThrough() }),
  metrics: createMetrics(),
})
const own = memory.addAccount('beacon', { entitlements: ['beacon'], credits: 0, rateLimits: { beacon: 10_000 } })
const outsider = memory.addAccount('stranger', { plan: 'PRO', entitlements: ['portfolio'], credits: 0 })
afterAll(async () => {
  await service.app.close()
  await database.drop()
})
beforeEach(() => {
  counted = epochs(146_875, 400_000)
  isDown = false
  tracked = 0
  asked = []
})

const QUERY = { rangeType: 'epoch', rangeFrom: '300000', rangeTo: '300003', granularity: 'epoch' }

async function ask(validator: string, query: Record<string, string> = QUERY, headers = own) {
  const url = `/v1/beacon/validators/rewards/${validator}?${new URLSearchParams(query)}`
  const { statusCode, headers: sent, body } = await service.app.inject({ url, headers })
  const isText = String(sent['content-type']).startsWith('text/plain')
  return { status: statusCode, complete: sent['x-data-complete'], body: isText ? body : JSON.parse(body) }
}

async function indexed(index: number, range: EpochRange, of: (epoch: number) => Partial<ValidatorEpoch> = () => ({})) {
  await store.track({ index, pubkey: pubkeyOf(index) })
  const rows = epochsOf(range).map((epoch) => row(index, epoch, of(epoch)))
  await store.save(MAINNET, { ...range, validators: [index], rows })
}

test('the first request begins the indexing of a validator, whichever way it names it', async () => {
  const empty = { data: [], offset: 0, limit: 10, totalRows: 0, pages: 0 }
  expect(await ask('index/1')).toEqual({ status: 200, complete: 'false', body: empty })
  expect(await ask(`pubkey/${pubkeyOf(1).toUpperCase().replace('X', 'x')}`)).toMatchObject({ status: 200, body: empty })
  expect(await ask('index/1')).toMatchObject({ status: 200 })
  expect([tracked, asked]).toEqual([1, [1]])
  await ask(`pubkey/${pubkeyOf(2)}`)
  expect([tracked, await store.find(2)]).toMatchObject([2, { index: 2, pubkey: pubkeyOf(2), covered: [] }])
})

test('a validator that may still get another index is not tracked yet', async () => {
  expect(await ask('index/95')).toMatchObject({ status: 200, complete: 'false', body: { data: [], totalRows: 0 } })
  expect([tracked, await store.find(95)]).toEqual([0, undefined])
})

test('who does not exist is not found, by index and by public key', async () => {
  for (const id of ['index/100', 'index/9007199254740991', 'index/2147483648', `pubkey/${pubkeyOf(100)}`]) {
    const error = expect.stringContaining('There is no validator')
    expect(await ask(id)).toMatchObject({ status: 404, body: { error } })
  }
  expect(await store.find(100)).toBeUndefined()
})

test('a node that fails is reported as a text, and only where it is needed', async () => {
  await indexed(3, epochs(300_000, 300_003))
  isDown = true
  expect(await ask('index/3')).toMatchObject({ status: 200, complete: 'true' })
  const { status, body } = await ask('index/4')
  expect([status, body]).toEqual([502, 'A source that this answer needs could not be read'])
})

test('an account without the add-on is refused', async () => {
  const body = { error: 'This account does not have the beacon add-on' }
  expect(await ask('index/1', QUERY, outsider)).toEqual({ status: 403, complete: undefined, body })
})

const wrong: [query: Record<string, string | undefined>, error: string][] = [
  [{ rangeType: undefined }, 'rangeType: must be timestamp or epoch'],
  [{ rangeFrom: undefined }, 'rangeFrom: must be a whole number of at least 0'],
  [{ rangeTo: undefined }, 'rangeTo: must be a whole number of at least 0'],
  [{ granularity: undefined }, 'granularity: must be epoch, day, week or month'],
  [{ rangeType: 'slot' }, 'rangeType: must be timestamp or epoch'],
  [{ rangeType: 'Epoch' }, 'rangeType: must be timestamp or epoch'],
  [{ granularity: 'year' }, 'granularity: must be epoch, day, week or month'],
  [{ rangeFrom: '300004' }, 'rangeFrom: must be at most rangeTo'],
  [{ rangeFrom: '-1' }, 'rangeFrom: must be a whole number of at least 0'],
  [{ rangeTo: '-1' }, 'rangeTo: must be a whole number of at least 0'],
  [{ rangeFrom: '1.5' }, 'rangeFrom: must be a whole number of at least 0'],
  [{ rangeFrom: '01' }, 'rangeFrom: must be a whole number of at least 0'],
  [{ rangeTo: '18446744073709551616' }, 'rangeTo: must be a whole number of at least 0'],
  [{ rangeTo: 'abc' }, 'rangeTo: must be a whole number of at least 0'],
  [{ rangeTo: '382126' }, 'rangeTo: must be at most 82125 epochs after rangeFrom'],
  [
    { rangeType: 'timestamp', rangeFrom: '0', rangeTo: '31536001' },
    'rangeTo: must be at most 31536000 seconds after rangeFrom',
  ],
  [{ limit: '11' }, 'limit: must be a whole number from 1 to 10'],
  [{ limit: '0' }, 'limit: must be a whole number from 1 to 10'],
  [{ offset: '-1' }, 'offset: must be a whole number of at least 0'],
  [{ offset: '' }, 'offset: must be a whole number of at least 0'],
]

test.each(wrong)('%j: %s', async (change, error) => {
  const query = Object.entries({ ...QUERY, ...change }).filter(([, value]) => value !== undefined)
  expect(await ask('index/1', Object.fromEntries(query))).toMatchObject({ status: 400, body: { error } })
})

const HEX = 'a'.repeat(96)
const wrongKeys = [HEX, `0x${HEX.slice(1)}`, `0x${HEX}a`, `0x${HEX.slice(1)}g`, `0x${HEX}${HEX}`, '0x']
const wrongIndices = ['-1', '1.5', '01', '18446744073709551616', 'abc']
test.each([
  ...wrongIndices.map((index) => [`index/${index}`, 'index: must be a whole number of at least 0']),
  ...wrongKeys.map((pubkey) => [`pubkey/${pubkey}`, 'pubkey: must be 0x and 96 hexadecimal digits']),
])('%s is refused', async (id = '', error = '') => {
  expect(await ask(id)).toMatchObject({ status: 400, body: { error } })
})

test('the longest ranges are answered', async () => {
  const { timestamp, epoch } = LONGEST_REWARD_RANGE
  for (const query of [
    { ...QUERY, rangeFrom: '300000', rangeTo: String(300_000 + epoch) },
    { ...QUERY, rangeType: 'timestamp', rangeFrom: '1700000000', rangeTo: String(1_700_000_000 + timestamp) },
    { ...QUERY, rangeFrom: String(Number.MAX_SAFE_INTEGER), rangeTo: String(Number.MAX_SAFE_INTEGER) },
  ]) {
    expect(await ask('index/1', query)).toMatchObject({ status: 200 })
  }
})

test('a range outside of what counts is empty and complete', async () => {
  await indexed(5, epochs(300_000, 300_000))
  const none = { complete: 'true', body: { data: [], totalRows: 0, pages: 0 } }
  expect(await ask('index/5', { ...QUERY, rangeFrom: '0', rangeTo: '82125' })).toMatchObject(none)
  expect(await ask('index/5', { ...QUERY, rangeFrom: '400001', rangeTo: '400002' })).toMatchObject(none)
})

test('a bucket adds its epochs up and says when they were', async () => {
  const figures: Partial<ValidatorEpoch>[] = [
    { attestationGwei: -7_000n, attestationsIncluded: 0, attestationsMissed: 1 },
    { syncGwei: 20_000n, syncPotentialGwei: 21_000n, syncParticipations: 31, syncMissed: 1, slashingGwei: 1_000_000n },
    { proposalGwei: 40_000n, proposalPotentialGwei: 41_000n, proposedBlocks: 1, tipsWei: 12_345n },
    {
      ...{ proposalPotentialGwei: 9_000n, proposedBlocks: 1, missedBlocks: 1, mevBlocks: 1, mevWei: 10n ** 17n },
      effectiveBalanceGwei: 31_000_000_000n,
    },
  ]
  await indexed(6, epochs(300_000, 300_003), (epoch) => figures[epoch - 300_000] ?? {})
  const { body, complete } = await ask('index/6', { ...QUERY, granularity: 'month' })
  // Earned: −7,000 + 9,000 × 3 + 20,000 + 40,000 = 80,000; with the penalty −920,000. Potential: 10,000 × 4 + 21,000 +
  // 41,000 + 9,000 = 111,000. 80 ÷ 111 = 0.720720…
  expect([complete, body]).toEqual([
    'true',
    {
      ...{ offset: 0, limit: 10, totalRows: 1, pages: 1 },
      data: [
        {
          ...{ epochStart: 300_000, epochEnd: 300_003 },
          ...{ timestampStart: 1_722_024_023, timestampEnd: 1_722_025_558 },
          ...{ dateStart: '2024-07-26', dateEnd: '2024-07-26' },
          ...{ consensusReward: '-920000000000000', consensusPotentialReward: '111000000000000' },
          ...{ consensusEfficiency: 0.720721, executionReward: '100000000000012345' },
          endEffectiveBalance: '31000000000000000000',
          ...{ attestationsIncluded: 3, attestationsMissed: 1, syncParticipations: 31, syncMissed: 1 },
          ...{ proposedBlocks: 2, missedBlocks: 1, mevBlocks: 1 },
        },
      ],
    },
  ])
})

test('efficiency is within 0 and 1, rounded half to even, and null when nothing was due', async () => {
  const cases: [earned: bigint, ideal: bigint, efficiency: number | null][] = [
    [0n, 0n, null],
    [-5n, 10n, 0],
    [11n, 10n, 1],
    [1n, 2_000_000n, 0],
    [3n, 2_000_000n, 0.000002],
    [1n, 3n, 0.333333],
    [2n, 3n, 0.666667],
  ]
  await indexed(7, epochs(300_000, 299_999 + cases.length), (epoch) => {
    const [attestationGwei = 0n, attestationIdealGwei = 0n] = cases[epoch - 300_000] ?? []
    return { attestationGwei, attestationIdealGwei }
  })
  const { body } = await ask('index/7', { ...QUERY, rangeTo: String(299_999 + cases.length) })
  const shown = body.data.map(({ consensusEfficiency }: { consensusEfficiency: number | null }) => consensusEfficiency)
  expect(shown).toEqual(cases.map(([, , efficiency]) => efficiency).toReversed())
})

test('only buckets whose epochs are all indexed are listed and counted, clipped where epochs count', async () => {
  await indexed(8, epochs(300_010, 300_020))
  await indexed(8, epochs(300_030, 300_034))
  counted = epochs(300_012, 300_032)
  const query = { ...QUERY, rangeFrom: '300000', rangeTo: '300100' }
  const listed: number[] = []
  for (let offset = 0; offset < 20; offset += 3) {
    const { body, complete } = await ask('index/8', { ...query, offset: String(offset), limit: '3' })
    expect([complete, body.totalRows, body.pages, body.offset, body.limit]).toEqual(['false', 12, 4, offset, 3])
    listed.push(...body.data.map(({ epochStart }: { epochStart: number }) => epochStart))
  }
  expect(listed).toEqual([
    ...[300_032, 300_031, 300_030],
    ...[300_020, 300_019, 300_018, 300_017, 300_016, 300_015, 300_014, 300_013, 300_012],
  ])
  expect(await ask('index/8', { ...query, granularity: 'month' })).toMatchObject({
    complete: 'false',
    body: { data: [], totalRows: 0, pages: 0 },
  })
  const part = { ...query, rangeFrom: '300030', granularity: 'month' }
  expect(await ask('index/8', part)).toMatchObject({
    complete: 'true',
    body: { data: [{ epochStart: 300_030, epochEnd: 300_032 }], totalRows: 1, pages: 1 },
  })
})
