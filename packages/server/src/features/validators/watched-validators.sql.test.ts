import { afterAll, beforeEach, expect, test } from 'vitest'
import { pubkeyOf } from '../../../test/beacon/add-up.ts'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import type { BeaconTimes } from '../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../domain/validator-epoch.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { NO_OUTCOME, type Outcome } from './registry/outcome-chunk.ts'
import { chunksOf, createRegistryStore, EPOCH_CHUNK } from './registry/registry-store.ts'
import { createValidatorStore } from './validator-store.ts'
import { checkValidators } from './watched-validators.ts'

const database = await testDatabase('watched_validators')
afterAll(() => database.drop())
const { db, pool } = database
const store = createValidatorStore(db)
const registry = createRegistryStore(db)

const NOW = Date.UTC(2027, 0, 20) / 1_000
/** Epochs of an hour. The 480th begins at `NOW`, 20 days after genesis. */
const TIMES: BeaconTimes = { genesisTime: NOW - 480 * 3_600, secondsPerSlot: 450, slotsPerEpoch: 8 }

let account = ''
let index = 0
beforeEach(async () => {
  await pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as $$ select to_timestamp(${NOW}) $$`,
  )
  await pool.query('delete from watch')
  index += 1
  account = await newAccount()
  await store.track({ index, pubkey: pubkeyOf(index) })
})

async function newAccount(): Promise<string> {
  const id = await accountWith(db, 0)
  await pool.query(`update account set entitlements = '{beacon}' where id = $1`, [id])
  await pool.query('insert into event_stream (account_id, heard_at) values ($1, coffer_now())', [id])
  return id
}

const watch = (of: string, validator: string, since: { epoch: number } | null = null) =>
  pool.query(
    `insert into watch (id, account_id, type, validator, validator_index, created_at)
      values (gen_random_uuid(), $1, 'validator', $2, $3, to_timestamp($4::float8))`,
    [of, validator, since && validator, TIMES.genesisTime + (since?.epoch ?? 480) * 3_600],
  )

const duties = (epoch: number, of: Partial<ValidatorEpoch>): ValidatorEpoch => ({
  ...{ ...NO_OUTCOME, validatorIndex: index, epoch, effectiveBalanceGwei: 32n },
  ...of,
})
const save = (epoch: number, of: Partial<ValidatorEpoch>) =>
  store.save(TIMES, { fromEpoch: epoch, toEpoch: epoch, validators: [index], rows: [duties(epoch, of)] })

async function reported(of = account) {
  const { rows } = await pool.query('select kind, subject, data from event_outbox where account_id = $1 order by id', [
    of,
  ])
  return rows
}
const reportedEpochs = async () => (await reported()).map(({ data }) => data.epoch)

test('missed duties are reported by epoch, once, to each account that watches', async () => {
  const other = await newAccount()
  await watch(account, String(index), { epoch: 400 })
  await watch(account, String(index), { epoch: 400 })
  await watch(other, pubkeyOf(index))
  await save(471, { attestationsMissed: 1, missedBlocks: 2, syncMissed: 31 })
  await save(470, { attestationsIncluded: 1 })
  await save(469, { syncMissed: 1 })
  // Stored again, but already reported.
  await save(471, { attestationsMissed: 1 })
  const missed = { index, pubkey: pubkeyOf(index), epoch: 471, attestationsMissed: 1, blocksMissed: 2, syncMissed: 31 }
  expect(await reported()).toEqual([
    { kind: 'validator.missed', subject: `validator ${index}`, data: missed },
    expect.objectContaining({ data: { ...missed, epoch: 469, attestationsMissed: 0, blocksMissed: 0, syncMissed: 1 } }),
  ])
  expect(await reported(other)).toEqual([])
})

test('epochs before the watch, and of long ago, are not reported', async () => {
  await watch(account, String(index), { epoch: 300 })
  for (const epoch of [299, 311, 312]) await save(epoch, { attestationsMissed: 1 })
  expect(await reportedEpochs()).toEqual([312])
  await pool.query('update watch set created_at = to_timestamp($1)', [TIMES.genesisTime + 320 * 3_600 + 1])
  for (const epoch of [320, 321]) await save(epoch, { attestationsMissed: 1 })
  expect(await reportedEpochs()).toEqual([312, 321])
  await pool.query(`update account set entitlements = '{}' where id = $1`, [account])
  await save(322, { attestationsMissed: 1 })
  expect(await reportedEpochs()).toEqual([312, 321])
})

test('where everyone is indexed, those who are watched are found among them', async () => {
  await watch(account, String(index), { epoch: 400 })
  const outcomes = Array.from({ length: index + 1 }, (): Outcome | null => ({ ...NO_OUTCOME, attestationsMissed: 1 }))
  for (const epoch of [450, 449, 450]) await registry.save(TIMES, { epoch, chunks: chunksOf(outcomes, EPOCH_CHUNK) })
  expect(await reportedEpochs()).toEqual([450, 449])
  // A change reported on request is not reported again with the others.
  await save(448, { attestationsMissed: 1 })
  await registry.save(TIMES, { epoch: 448, chunks: chunksOf(outcomes, EPOCH_CHUNK) })
  expect(await reportedEpochs()).toEqual([450, 449, 448])
})

test('a validator is found by index or key, and its slashing is reported once it is final', async () => {
  const node = { slashed: false, isFinal: false, isDown: false }
  const isThere = (id: number | string) => id === index || id === pubkeyOf(index)
  const warned: unknown[] = []
  const context = {
    ...{ db, store, reach: 'tracked', onTracked: () => undefined },
    log: { warn: (facts: unknown) => void warned.push(facts) },
    findValidator: async (by: number | string) =>
      isThere(by) ? { index, pubkey: pubkeyOf(index), isFinal: node.isFinal } : undefined,
    pool: {
      async request({ path, body }: { path: string; body: { ids: string[] } }) {
        if (node.isDown) throw new UpstreamError('unavailable', 'down')
        expect([path, body.ids]).toEqual(['/eth/v1/beacon/states/finalized/validators', [String(index)]])
        return [{ index, pubkey: pubkeyOf(index), slashed: node.slashed, exitEpoch: 500, withdrawableEpoch: 8_692 }]
      },
    },
  }
  const check = () => checkValidators(context as never)
  await pool.query('delete from validator where index = $1', [index])
  await watch(account, pubkeyOf(index))
  await watch(account, '77')
  const states = async () =>
    (await pool.query('select validator_index, is_past, incomplete from watch order by validator desc')).rows
  const lost = [{ chain: 'ethereum', reason: 'not-found' }]
  await check()
  // Without a final state, a validator may yet get another index.
  expect(await states()).toEqual(Array(2).fill({ validator_index: null, is_past: null, incomplete: lost }))
  node.isFinal = true
  await check()
  expect((await states()).map(({ validator_index }) => validator_index)).toEqual([null, null])
  await pool.query(`update watch set checked_at = coffer_now() - interval '15 minutes'`)
  await check()
  const isKnown = { validator_index: BigInt(index), is_past: false, incomplete: [] }
  expect(await states()).toEqual([{ validator_index: null, is_past: null, incomplete: lost }, isKnown])
  node.isDown = true
  await check()
  expect(warned).toHaveLength(1)
  Object.assign(node, { isDown: false, slashed: true })
  await check()
  await check()
  const data = { index, pubkey: pubkeyOf(index), exitEpoch: 500, withdrawableEpoch: 8_692 }
  expect(await reported()).toEqual([{ kind: 'validator.slashed', subject: `validator ${index}`, data }])
  // A new watch reports nothing from before its creation.
  const other = await newAccount()
  await watch(other, String(index))
  await check()
  expect([await reported(other), (await states()).map(({ is_past }) => is_past)]).toEqual([[], [null, true, true]])
})
