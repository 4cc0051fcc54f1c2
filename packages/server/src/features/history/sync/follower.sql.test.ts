import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { makeDue } from '../../../../test/followed-wallets.ts'
import { HANGS_MS } from '../../../../test/hangs.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import { seededRandom } from '../../../../test/random.ts'
import { syncsOf } from '../../../../test/stored-steps.ts'
import type { WalletHistory } from '../../../chains/histories.ts'
import type { Address } from '../../../domain/address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SyncContext } from '../context.ts'
import { claimDue, TOGETHER } from '../store/followed-wallets.ts'
import { followWallets } from './follower.ts'

const CHAIN = 'ethereum'
const random = seededRandom('follower of a chain')

const database = await suiteDatabase('follower')
const { db, pool } = database
const accountId = await accountWith(db, 10)

beforeEach(async () => void (await pool.query('truncate history_follow, history_sync')))
afterEach(() => void vi.useRealTimers())

async function followed(count: number): Promise<Address[]> {
  const wallets = Array.from({ length: count }, () => random.address())
  await pool.query(
    `insert into history_sync (wallet, account_id, state) select wallet, $2, 'done' from unnest($1::text[]) as wallet`,
    [wallets, accountId],
  )
  await syncsOf(db, [CHAIN]).store.group.setState(CHAIN, wallets, { number: 100n, timestamp: 1_700_000_000 })
  return wallets
}

const round = (follow: WalletHistory['follow'], of: Partial<SyncContext> = {}) =>
  followWallets(
    syncsOf(db, [CHAIN], { histories: { follow, bringUpToDate: () => expect.unreachable() }, ...of }),
    new AbortController().signal,
    { chain: CHAIN },
  )

const due = async () => {
  const { rows } = await pool.query<{ wallet: Address }>('select wallet from history_follow where due_at <= now()')
  return rows.map(({ wallet }) => wallet)
}

test('a refused wallet is set aside with growing pauses, and the others are searched in every round', async () => {
  const [refused, ...others] = (await followed(5)) as [Address, ...Address[]]
  let searched: Address[] = []
  let refusing = true
  const play = async () => {
    searched = []
    await round(async (_, wallets, __, fail) => {
      searched.push(...wallets)
      if (refusing && wallets.includes(refused)) fail(refused, new UpstreamError('invalid', 'poisoned index'))
    })
    return searched.toSorted()
  }
  const aside = async () => {
    const { rows } = await pool.query(
      `select wallet, failures, reason, due_at = retry_at as waits, due_at > now() + interval '61 s' as long
      from history_set_aside join history_follow using (chain, wallet)`,
    )
    return rows
  }
  const endPause = async () => {
    await pool.query('update history_set_aside set retry_at = now()')
    await makeDue(db)
  }
  const noted = { wallet: refused, reason: 'poisoned index', waits: true }
  expect(await play()).toEqual([refused, ...others].toSorted())
  expect(await aside()).toEqual([{ ...noted, failures: 1, long: false }])
  await makeDue(db)
  expect(await play()).toEqual(others.toSorted())
  await endPause()
  expect(await play()).toEqual([refused, ...others].toSorted())
  expect(await aside()).toEqual([{ ...noted, failures: 2, long: true }])
  refusing = false
  await endPause()
  expect(await play()).toEqual([refused, ...others].toSorted())
  expect(await aside()).toEqual([])
  // It ends with its wallet: no operator sees a failure that is not retried.
  refusing = true
  await endPause()
  await play()
  await endPause()
  await pool.query(`update history_sync set requested_at = now() - interval '60 days' where wallet = $1`, [refused])
  await play()
  expect((await pool.query('select from history_set_aside')).rowCount).toBe(0)
})

test('a claim is renewed while its work lasts', async () => {
  const [wallet] = (await followed(1)) as [Address]
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await round(async () => {
    await makeDue(db)
    expect(await due()).toEqual([wallet])
    vi.advanceTimersByTime(15_000)
    await vi.waitUntil(async () => (await due()).length === 0, { timeout: HANGS_MS })
    expect(await claimDue(db, CHAIN)).toEqual([])
  })
  expect(vi.getTimerCount()).toBe(0)
})

test('a job that took a minute leaves the rest to the job of the next round', async () => {
  await followed(TOGETHER + 1)
  let time = 0
  const taken: number[] = []
  const follow: WalletHistory['follow'] = async (_, wallets) => {
    taken.push(wallets.length)
    time += 60_000
  }
  const clock = { now: () => time }
  await round(follow, { clock })
  expect([taken, (await due()).length]).toEqual([[TOGETHER], 1])
  await round(follow, { clock })
  expect(taken).toEqual([TOGETHER, 1])
})
