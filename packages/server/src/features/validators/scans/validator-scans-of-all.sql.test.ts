import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allRows,
  carried,
  type Database,
  ETH,
  exits,
  finalSlot,
  paidTo,
  QUICK_EXITS,
  type ScannedChain,
  scannedChains,
  serviceOf,
} from '../../../../test/beacon/scans.ts'
import { deepTest, sized } from '../../../../test/sized.ts'
import { searchDeposits } from '../deposits/deposits.ts'
import type { Reach } from '../validator-store.ts'
import { searchWithdrawals } from '../withdrawals.ts'
import type { MissingBlocks } from './scan-store.ts'
import { readFinalBlock, scanBlocks } from './validator-scans.ts'

const { startChain, openDatabase, stop } = scannedChains()
afterAll(stop)

type Service = Pick<ScannedChain, 'withdrawals' | 'deposits' | 'scanWithdrawals' | 'scanDeposits'>

async function scan({ scanWithdrawals, scanDeposits }: Service): Promise<void> {
  await scanWithdrawals()
  await scanDeposits()
}

async function finalRegistry(beacon: string): Promise<{ index: number; pubkey: string }[]> {
  const response = await fetch(`${beacon}/eth/v1/beacon/states/finalized/validators`)
  const { data } = (await response.json()) as { data: { index: string; validator: { pubkey: string } }[] }
  return data.map(({ index, validator }) => ({ index: Number(index), pubkey: validator.pubkey }))
}

/** Final data of all existing validators, by the state transition and the blocks. */
async function truthOf(chain: Pick<ScannedChain, 'devnet'>) {
  const bodies = await carried(chain, await finalSlot(chain))
  return Promise.all(
    (await finalRegistry(chain.devnet.beacon)).map(async ({ index, pubkey }) => {
      const genesis = index < 64 ? [{ slot: 0, pubkey, amount: `${32n * 10n ** 18n}` }] : []
      const deposits = [...genesis, ...bodies.filter((one) => one.pubkey === pubkey)]
      return {
        ...{ index, withdrawals: await paidTo(chain, index) },
        deposits: deposits.map(({ slot, amount }) => ({ slot, amount })).toReversed(),
      }
    }),
  )
}

/** All validators of the registry, without a request. */
async function register({ devnet }: Pick<ScannedChain, 'devnet'>, db: Database): Promise<void> {
  for (const { index, pubkey } of await finalRegistry(devnet.beacon)) {
    const inserted = db.insertInto('validator').values({ index, pubkey, tracked: false })
    await inserted.onConflict((conflict) => conflict.doNothing()).execute()
  }
}

async function countOf(db: Database, table: 'validator' | 'validator_deposit' | 'validator_withdrawal') {
  const { count } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** As shown to any account. It is complete on the first request. */
async function shownBy(service: Service, index: number) {
  const withdrawals = await allRows(service.withdrawals.list, index)
  const deposits = await allRows<{ slot: number; amount: string }>(service.deposits.list, index)
  expect([withdrawals.complete, deposits.complete]).toEqual(['true', 'true'])
  return {
    ...{ index, withdrawals: withdrawals.rows },
    deposits: deposits.rows.map(({ slot, amount }) => ({ slot, amount })),
  }
}

async function expectTruth(service: Service, chain: Pick<ScannedChain, 'devnet'>): Promise<void> {
  for (const one of await truthOf(chain)) expect(await shownBy(service, one.index)).toEqual(one)
}

describe('everyone, after Electra', () => {
  let chain: ScannedChain
  beforeAll(async () => {
    chain = await startChain(
      QUICK_EXITS,
      [
        { from: 3, missed: true },
        { from: 10, deposits: [{ key: 64, amountGwei: 32 * ETH }, ...[1, 2, 3].map(topUp)] },
        exits,
        { from: 24, to: 26, missed: true },
        { from: 30, deposits: [topUp(2)] },
      ],
      40,
      'all',
    )
  })
  const topUp = (key: number) => ({ key, amountGwei: key * ETH })

  test('gets the final state, whether it is in the registry already or comes into it later', async () => {
    await register(chain, chain.db)
    await scan(chain)
    await expectTruth(chain, chain)
    // The deposit for the 65th is stored, but it belongs to no final validator yet.
    expect([await countOf(chain.db, 'validator'), await countOf(chain.db, 'validator_deposit')]).toEqual([64, 68])
    expect((await chain.deposits.list(64, { offset: 0, limit: 1 })).headers['x-data-complete']).toBe('false')
    await chain.devnet.play([], sized({ small: 96, deep: 192 }))
    await scan(chain)
    // No request was made for it, and the registry was not read again.
    expect((await truthOf(chain)).map(({ index }) => index)).toContain(64)
    await expectTruth(chain, chain)
    expect(chain.warnings).toEqual([])
  })

  test('gets the same result from two processes that search at once', async () => {
    const db = await openDatabase('validator_scans_two')
    const [one, other] = [serviceOf(chain.devnet, db, 'all'), serviceOf(chain.devnet, db, 'all')]
    await Promise.all([scan(one), scan(other), scan(one), scan(other)])
    await expectTruth(other, chain)
    expect([one.warnings, other.warnings]).toEqual([[], []])
  })

  deepTest('is reported alike by processes each of which is cut off after a piece', async () => {
    const db = await openDatabase('validator_scans_pieces')
    const service = serviceOf(chain.devnet, db, 'all')
    let processes = 0
    for (let isThrough = false; !isThrough; processes += 1) isThrough = await scanPiece(chain, db)
    expect(processes).toBeGreaterThan(10)
    // The remaining work is to find the slots of the first deposits.
    await service.scanDeposits()
    await expectTruth(service, chain)
  })
})

const PIECE_BLOCKS = 7n

/** Work of a process that ends with its first piece of either type. True if nothing was left. */
async function scanPiece({ devnet }: Pick<ScannedChain, 'devnet'>, db: Database): Promise<boolean> {
  const { context } = serviceOf(devnet, db, 'all')
  const { pool, execution, chain, withdrawals, deposits } = context
  const facts = await chain.facts()
  const final = await readFinalBlock(pool, execution, facts)
  const findIndices = () => Promise.reject(new Error('nobody is asked for'))
  const all = { ...context, store: { ...context.store, findIndices } }
  const contract = facts.spec.depositContract ?? ''
  const findPaid = (missing: MissingBlocks) => searchWithdrawals(all, facts.times, missing)
  const findDeposits = (missing: MissingBlocks) => searchDeposits(all, facts, contract, missing)
  let pieces = 0
  for (const [first, store, search] of [
    [1n, withdrawals, findPaid],
    [0n, deposits, findDeposits],
  ] as const) {
    const ending = new AbortController()
    const searchOne = async (missing: MissingBlocks) => {
      pieces += 1
      await search(missing)
      ending.abort()
    }
    const plan = { scan: store.scan, findFirstBlock: async () => first, pieceBlocks: PIECE_BLOCKS, search: searchOne }
    await scanBlocks(plan, final, ending.signal)
  }
  return pieces === 0
}

describe('everyone, over the fork of Electra', () => {
  const topUp = (key: number, amountGwei = ETH) => ({ key, amountGwei })
  const lost = { key: 65, amountGwei: 32 * ETH, badSignature: true }
  const late = { key: 66, amountGwei: ETH, badSignature: true }
  const scenario = [
    { from: 5, deposits: [lost, late] },
    { from: 10, deposits: [topUp(3), { key: 64, amountGwei: 32 * ETH }, topUp(3)] },
    { from: 12, deposits: [{ key: 65, amountGwei: 32 * ETH }, { ...topUp(65), badSignature: true }, late] },
    { from: 17, to: 18, missed: true },
    { from: 40, deposits: [topUp(3, 2 * ETH), { key: 66, amountGwei: 32 * ETH }] },
    { from: 70, deposits: [topUp(20), topUp(3)] },
    { from: 95, deposits: [topUp(21), topUp(20)] },
    { from: 97, deposits: [topUp(3, 3 * ETH)] },
  ]
  let chain: ScannedChain
  beforeAll(async () => {
    chain = await startChain({ fork: 'deneb', forkEpochs: { electra: 12 } }, scenario, 64)
  })

  /** Number of blocks with each lost, unlisted deposit. */
  const LOST: Readonly<Record<number, number>> = { 65: 1, 66: 2 }

  async function expectTruthBut(service: Service): Promise<void> {
    for (const { deposits, ...one } of await truthOf(chain)) {
      const kept = deposits.slice(0, deposits.length - (LOST[one.index] ?? 0))
      expect(await shownBy(service, one.index)).toEqual({ ...one, deposits: kept })
    }
  }

  test('gets the same result after requests for others in between, and nothing twice', async () => {
    const db = await openDatabase('validator_scans_switched')
    const service = (reach: Reach) => serviceOf(chain.devnet, db, reach)
    const open = async (indices: readonly number[]) => {
      for (const index of indices) await service('tracked').tracking.open(index)
    }
    await open([0, 3, 20])
    await scan(service('tracked'))
    for (const index of [0, 3, 20]) await shownBy(service('tracked'), index)
    await chain.devnet.play(scenario, 88)
    await register(chain, db)
    await scan(service('all'))
    await expectTruthBut(service('all'))
    await chain.devnet.play(scenario, 104)
    await open([21])
    await scan(service('tracked'))
    for (const index of [0, 3, 20, 21]) await shownBy(service('tracked'), index)
    const others = await service('tracked').withdrawals.list(30, { offset: 0, limit: 1 })
    expect(others.headers['x-data-complete']).toBe('false')
    await chain.devnet.play(scenario, 160)
    await scan(service('all'))
    await expectTruthBut(service('all'))
    const final = await finalSlot(chain)
    const paid = (await chain.devnet.truth()).flatMap(({ withdrawals }) => withdrawals)
    expect(await countOf(db, 'validator_withdrawal')).toBe(paid.filter(({ slot }) => slot <= final).length)
    expect(await countOf(db, 'validator_deposit')).toBe(64 + (await carried(chain, final)).length)
  })

  test('has only those signatures looked at on which it depends what is listed', async () => {
    await chain.devnet.play(scenario, 160)
    const db = await openDatabase('validator_scans_signed')
    const service = serviceOf(chain.devnet, db, 'all')
    await scan(service)
    const looked = async () => {
      const query = db.selectFrom('validator_deposit').where('signed', 'is not', null).orderBy('index')
      const rows = await query.select(['index', 'signed', 'signature']).execute()
      expect(rows.map(({ signature }) => signature.length)).toEqual(rows.map(() => 0))
      return rows.map(({ index, signed }) => [Number(index), signed])
    }
    expect(await looked()).toEqual([])
    await expectTruthBut(service)
    // A validator with one deposit exists by it. Later deposits count either way. Of 66 the third is the only one left.
    expect(await looked()).toEqual([
      [3, true],
      [20, true],
      [21, true],
      [64, false],
      [65, false],
      [69, true],
      [71, false],
    ])
    expect(await service.deposits.list(66, { offset: 0, limit: 10 })).toMatchObject({ body: { totalRows: 1 } })
  })
})
