import { afterAll, beforeAll, expect, test } from 'vitest'
import { recorded, startBeaconServer } from '../../../../test/beacon/beacon-server.ts'
import { testDatabase } from '../../../../test/database.ts'
import { seededRandom } from '../../../../test/random.ts'
import type { Random } from '../../../../test/random-of.ts'
import { sized } from '../../../../test/sized.ts'
import { createBeaconPool } from '../../../beacon/beacon-pool.ts'
import type { Reach } from '../validator-store.ts'
import { createDepositStore, type Deposit, type DepositStore } from './deposit-store.ts'
import { placeDeposits } from './place-deposits.ts'

const RUNS = sized({ small: 4, deep: 150 })
const STEPS = 10
const LAST_SLOT = 700
const KEYS = 7
const GWEI = 10n ** 9n
const SIGNATURE = `0x${'00'.repeat(96)}`

type Own = Awaited<ReturnType<typeof testDatabase>>
let own: Own
let random: Random
beforeAll(async () => {
  own = await testDatabase('place_deposits')
  random = seededRandom('placing deposits')
})
afterAll(() => own.drop())

/** `logged`, `carried`: slots of the log and of the beacon block. */
type Carried = Deposit & { key: number; logged: number; carried: number }

const hash = (slot: number, bytes = 32) => `0x${slot.toString(16).padStart(bytes * 2, '0')}`
const pubkeyOf = (key: number) => hash(key + 1, 48)

/** Deposits in the contract's order, also in beacon blocks, sometimes hundreds of slots after their logs. */
function makeDeposits(): Carried[] {
  const deposits: Carried[] = []
  const add = (key: number, logged: number, carried: number, amountGwei = GWEI * BigInt(1 + random.index(3))) => {
    const index = BigInt(deposits.length)
    const place = { slot: null, searchSlot: logged === 0 ? 0 : logged + 1 }
    const said = { pubkey: pubkeyOf(key), amountGwei, withdrawalCredentials: hash(1), signature: SIGNATURE }
    deposits.push({ ...place, ...said, index, key, logged, carried })
  }
  for (let key = 0; key < 4; key += 1) add(key, 0, 0, 32n * GWEI)
  add(random.index(4), 0, 0)
  // Logged before genesis, but not in its state.
  for (const key of [4, 5, 4]) add(key, 0, 1)
  let [logged, carried] = [0, 1]
  for (let i = 0; i < 70; i += 1) {
    logged += random.index(13)
    const delay = random.index(12) === 0 ? 100 + random.index(200) : random.index(20)
    const isNext = random.index(2) === 0
    carried = Math.max(carried, logged + 1, isNext ? 0 : logged + delay)
    add(random.index(KEYS), logged, carried)
  }
  return deposits
}

/** A beacon node whose blocks carry the deposits. Some slots are missed. */
async function startNode(deposits: readonly Carried[]) {
  const slots = Array.from({ length: LAST_SLOT + 1 }, (_, slot) => slot).filter(
    (slot) =>
      slot === 0 || slot === LAST_SLOT || random.index(9) > 0 || deposits.some(({ carried }) => carried === slot),
  )
  const parents = new Map(slots.map((slot, i) => [slot, hash(slots[i - 1] ?? 0)]))
  const { data } = recorded('block') as { data: { message: { body: object } } }
  const said = ({ pubkey, withdrawalCredentials, amountGwei }: Deposit) => ({
    ...{ pubkey, withdrawal_credentials: withdrawalCredentials, amount: String(amountGwei), signature: SIGNATURE },
  })
  const headerOf = (slot: number) => ({ slot: String(slot), proposer_index: '1', parent_root: parents.get(slot) })
  function blockAt(slot: number) {
    const carried = slot === 0 ? [] : deposits.filter((one) => one.carried === slot)
    const changed = { attestations: [], execution_requests: {}, deposits: carried.map((one) => ({ data: said(one) })) }
    return { data: { message: { ...headerOf(slot), body: { ...data.message.body, ...changed } } } }
  }
  function firstState(ids: readonly string[]) {
    const { data: one } = recorded('validator') as { data: { validator: object } }
    const found = ids.filter((pubkey) => deposits.some((of) => of.carried === 0 && of.pubkey === pubkey))
    const balance = (pubkey: string) =>
      deposits
        .filter((of) => of.carried === 0 && of.pubkey === pubkey)
        .reduce((sum, { amountGwei }) => sum + amountGwei, 0n)
    return found.map((pubkey) => ({
      ...{ ...one, index: '1', balance: String(balance(pubkey)), validator: { ...one.validator, pubkey } },
    }))
  }
  const server = await startBeaconServer(({ path, body }) => {
    const slot = Number(path.split('/').at(-1))
    if (path.endsWith('states/0/validators')) return { body: { data: firstState((body as { ids: string[] }).ids) } }
    if (!parents.has(slot)) return undefined
    if (path.startsWith('/eth/v2/beacon/blocks/')) return { body: blockAt(slot) }
    return { body: { data: { root: hash(slot), header: { message: headerOf(slot) } } } }
  })
  /** The last slot up to this one that has a block. */
  const lastBlock = (slot: number) => slots.findLast((one) => one <= slot) ?? 0
  return { ...server, lastBlock }
}

/** Finds and stores deposits logged up to a block, like the scan. The block's number is that of its slot. */
async function search(reach: Reach, deposits: readonly Carried[], finalSlot: number) {
  const store = createDepositStore(own.db, reach)
  const scan = { firstBlock: 0n, finalBlock: BigInt(finalSlot), finalSlot }
  await store.scan.begin(scan)
  for (const { validators, ...range } of await store.scan.missing(scan)) {
    const isWithin = ({ logged }: Carried) => range.fromBlock <= BigInt(logged) && BigInt(logged) <= range.toBlock
    const rows = deposits.filter((one) => isWithin(one) && (validators === 'all' || validators.includes(one.key)))
    await store.save({ ...range, validators, rows })
  }
  return store
}

/** Places until nothing is left, or until the process ends after `pieces`. */
async function place(store: DepositStore, url: string, finalSlot: number, pieces: number) {
  const ending = new AbortController()
  let left = pieces
  const counted = {
    ...store,
    place: async (...piece: Parameters<typeof store.place>) => {
      await store.place(...piece)
      left -= 1
      if (left === 0) ending.abort()
    },
  }
  await placeDeposits(createBeaconPool({ urls: [url] }), counted, finalSlot, ending.signal)
}

/** Known slots are true, and so is everything else reported about deposits. */
async function expectTruth(deposits: readonly Carried[]) {
  const rows = await own.db.selectFrom('validator_deposit').selectAll().orderBy('index').execute()
  for (const { index, slot, search_slot: searchSlot } of rows) {
    const carried = deposits[Number(index)]?.carried
    expect([index, slot ?? carried], 'a slot').toEqual([index, carried])
    expect(slot !== null || searchSlot <= Number(carried), `${index} is not before ${searchSlot}`).toBe(true)
  }
  return rows
}

test('in whatever order validators are asked for, deposits are in the blocks that carry them', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    await own.pool.query('truncate validator cascade; truncate validator_deposit, validator_scan')
    const deposits = makeDeposits()
    const node = await startNode(deposits)
    let finalSlot = 20
    for (let step = 0; step < STEPS; step += 1) {
      const key = random.index(KEYS)
      const row = { index: key, pubkey: pubkeyOf(key), tracked: random.index(3) > 0 }
      await own.db
        .insertInto('validator')
        .values(row)
        .onConflict((conflict) => conflict.column('index').doUpdateSet({ tracked: row.tracked }))
        .execute()
      finalSlot = node.lastBlock(finalSlot + random.index(200))
      const store = await search(random.pick(['tracked', 'all']), deposits, finalSlot)
      await place(store, node.url, finalSlot, 1 + random.index(3))
      await expectTruth(deposits)
    }
    const store = await search('all', deposits, LAST_SLOT)
    await place(store, node.url, LAST_SLOT, Number.POSITIVE_INFINITY)
    const rows = await expectTruth(deposits)
    const placed = (await expectTruth(deposits)).filter(({ slot }) => slot !== null)
    const due = deposits.filter(({ carried, logged }) => carried <= LAST_SLOT && logged <= LAST_SLOT)
    expect([rows.length, placed.length]).toEqual([deposits.length, due.length])
    await node.stop()
  }
})
