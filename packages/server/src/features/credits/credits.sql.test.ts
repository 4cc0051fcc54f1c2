import { Failure } from '@coffer/contract'
import { expect, test } from 'vitest'
import { ledgerBench } from '../../../test/ledger/accounts.ts'
import { openDatabase } from '../../db/database.ts'
import { createCredits, grantCredits } from './credits.ts'

const ledger = await ledgerBench('credits')
const { database, credits, open, nextId, account: accountWith, hold: held, balance } = ledger
const request = (key: string) => ({ source: 'request', key }) as const

const lines = async (account: string) =>
  (await ledger.lines(account)).map(({ kind, amount, from, to }) => `${kind} ${amount} ${from} > ${to}`)

/** `ok`, or the error of a refused call. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ok',
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error
      return { code: error.code, ...error.extras }
    },
  )

const refused = (creditsRequired: number, creditsAvailable: number) => ({
  ...{ code: 'INSUFFICIENT_CREDITS', creditsRequired, creditsAvailable },
})

test('charges that arrive together are decided as if one after another', async () => {
  const account = await accountWith(3)
  const five = [1, 1, 1, 1, 1].map((amount) => outcome(credits.charge(account, amount, nextId())))
  expect(await Promise.all(five)).toEqual(['ok', 'ok', 'ok', refused(1, 0), refused(1, 0)])
  const mixed = await accountWith(5)
  const six = [2, 4, 2, 2, 1, 1].map((amount) => outcome(credits.charge(mixed, amount, nextId())))
  expect(await Promise.all(six)).toEqual(['ok', refused(4, 3), 'ok', refused(2, 1), 'ok', refused(1, 0)])
  expect(await lines(mixed)).toHaveLength(4)
})

test('one account that cannot pay does not hold up the others in its batch', async () => {
  const accounts = await Promise.all([0, 5, 0, 1].map((n) => accountWith(n)))
  const calls = accounts.flatMap((account) => [
    credits.charge(account, 1, nextId()),
    credits.charge(account, 1, nextId()),
  ])
  expect(await Promise.all(calls.map(outcome))).toEqual([
    ...[refused(1, 0), refused(1, 0)],
    ...['ok', 'ok'],
    ...[refused(1, 0), refused(1, 0)],
    ...['ok', refused(1, 0)],
  ])
})

test('a call refused for want of credits writes nothing', async () => {
  const account = await accountWith(2)
  const rows = () =>
    database.pool.query('select (select count(*) from credit_line) lines, (select count(*) from credit_charge) charges')
  const before = (await rows()).rows
  expect(await outcome(credits.charge(account, 3, nextId()))).toEqual(refused(3, 2))
  expect(await outcome(credits.hold(account, 3, request('too much')))).toEqual(refused(3, 2))
  expect((await rows()).rows).toEqual(before)
  expect(await balance(account)).toEqual({ available: 2, pending: 0 })
})

test('a hold takes off what is available; posting spends it, releasing gives it back, a charge spends at once', async () => {
  const account = await accountWith(10)
  const posted = await held(account, 3, 'a')
  const released = await held(account, 4, 'b')
  expect(await balance(account)).toEqual({ available: 3, pending: 7 })
  await credits.post(posted)
  await credits.release(released)
  await credits.charge(account, 1, nextId())
  expect(await balance(account)).toEqual({ available: 6, pending: 0 })
  expect(await lines(account)).toEqual([
    ...['grant 10 issued > available', 'hold 3 available > pending', 'hold 4 available > pending'],
    ...['post 3 pending > revenue', 'void 4 pending > available', 'charge 1 available > revenue'],
  ])
})

test('of several ends of one hold that race, one wins', async () => {
  const account = await accountWith(100)
  const other = open()
  for (let round = 0; round < 20; round += 1) {
    const hold = await held(account, 1, `race ${round}`)
    await Promise.allSettled([credits.post(hold), other.post(hold), credits.release(hold), other.release(hold)])
  }
  const closes = (await lines(account)).filter((line) => /^(post|void)/.test(line))
  expect(closes).toHaveLength(20)
  const posts = closes.filter((line) => line.startsWith('post')).length
  expect(await balance(account)).toEqual({ available: 100 - posts, pending: 0 })
})

test('a source key holds once, whether its first hold is open or ended, also at the same time', async () => {
  const account = await accountWith(5000)
  const term = { source: 'snapshot_term', key: 'the same' } as const
  const holds = await Promise.all(Array.from({ length: 10 }, () => credits.hold(account, 1200, term)))
  const [hold, ...more] = holds.filter((one) => one !== undefined)
  expect(more).toEqual([])
  if (!hold) throw new Error('nobody held')
  await credits.post(hold)
  expect(await credits.hold(account, 1200, term)).toBeUndefined()
  expect(await credits.available(account)).toBe(3800)
  expect(await credits.hold(account, 1200, { source: 'request', key: 'the same' })).toBeDefined()
})

test('a charge is given back once', async () => {
  const account = await accountWith(5)
  const receipt = await credits.charge(account, 2, nextId())
  await Promise.all([credits.giveBack(receipt), credits.giveBack(receipt)])
  await credits.giveBack(receipt)
  expect(await credits.available(account)).toBe(5)
  expect((await lines(account)).at(-1)).toBe('refund 2 revenue > available')
})

test('holds whose time is over are given back, the others stay', async () => {
  const account = await accountWith(10)
  const old = await held(account, 2, 'old')
  const young = await held(account, 3, 'young')
  await database.pool.query(`update credit_charge set expires_at = now() - interval '1 s' where id = $1`, [old.id])
  const others = [credits, open()]
  const swept = await Promise.all(others.map((one) => one.sweep()))
  expect(swept.reduce((sum, n) => sum + n, 0)).toBe(1)
  expect(await balance(account)).toEqual({ available: 7, pending: 3 })
  expect(await outcome(credits.post(old))).toMatchObject({ code: 'OVERLOADED' })
  await credits.post(young)
})

test('a hold lives longer than any request', async () => {
  const account = await accountWith(1)
  const { id } = await held(account, 1, 'time')
  const query = 'select extract(epoch from expires_at - created_at)::int as seconds from credit_charge where id = $1'
  expect((await database.pool.query(query, [id])).rows).toEqual([{ seconds: 120 }])
})

test('a grant with a reference is made once; another amount under it is refused', async () => {
  const account = await accountWith(0)
  const grant = { accountId: account, amount: 7, reference: 'invoice 1' }
  const grants = await Promise.all(Array.from({ length: 5 }, () => grantCredits(database.db, grant)))
  expect(grants.filter(Boolean)).toHaveLength(1)
  await expect(grantCredits(database.db, { ...grant, amount: 8 })).rejects.toThrow('another amount')
  expect(await credits.available(account)).toBe(7)
})

test.each([0, -1, 0.5, Number.NaN, 2 ** 53])('%d is no amount of credits', async (amount) => {
  const account = await accountWith(5)
  await expect(credits.charge(account, amount, nextId())).rejects.toThrow(RangeError)
  await expect(credits.hold(account, amount, request('x'))).rejects.toThrow(RangeError)
})

test.each(['update credit_line set amount = 1', 'delete from credit_line', 'truncate credit_line'])(
  'lines are never changed: %s',
  async (statement) => {
    await expect(database.pool.query(statement)).rejects.toThrow('credit_line is append-only')
  },
)

test('without a database every call is refused as overload', async () => {
  const gone = openDatabase({ connection: 'postgres://127.0.0.1:1/none', poolMax: 1, log: () => undefined })
  const unreachable = createCredits({ pool: gone.pool, log: () => undefined })
  const overloaded = { code: 'OVERLOADED', retryAfterSeconds: 5 }
  expect(await outcome(unreachable.charge('1', 1, nextId()))).toEqual(overloaded)
  expect(await outcome(unreachable.hold('1', 1, request('x')))).toEqual(overloaded)
  expect(await outcome(unreachable.available('1'))).toEqual(overloaded)
  expect(await outcome(unreachable.post({ id: '1', accountId: '1', amount: 1 }))).toEqual(overloaded)
  expect(await outcome(unreachable.release({ id: '1', accountId: '1', amount: 1 }))).toBe('ok')
  await unreachable.drain()
  await gone.close()
})

test('credits taken by a statement whose answer was lost are given back', async () => {
  const account = await accountWith(10)
  const cut = cutConnections(database.pool)
  const fragile = createCredits({ pool: cut.pool, log: () => undefined })
  const hold = await fragile.hold(account, 4, request('cut'))
  if (!hold) throw new Error('held before')
  cut.loseNextAnswer()
  expect(await outcome(fragile.charge(account, 3, nextId()))).toMatchObject({ code: 'OVERLOADED' })
  cut.loseNextAnswer()
  expect(await outcome(fragile.post(hold))).toMatchObject({ code: 'OVERLOADED' })
  expect(await credits.available(account)).toBe(3)
  await fragile.drain()
  expect(await credits.available(account)).toBe(10)
})

/** A pool that on demand executes the next statement and loses its connection before the answer. */
function cutConnections(pool: typeof database.pool) {
  let cutting = false
  const connect = async () => {
    const client = await pool.connect()
    if (!cutting) return client
    cutting = false
    return {
      query: async (query: { text: string; values: unknown[] }) => {
        await client.query(query)
        throw new Error('Connection terminated unexpectedly')
      },
      release: (destroy: boolean) => client.release(destroy),
    }
  }
  return {
    pool: new Proxy(pool, {
      get: (target, property) => (property === 'connect' ? connect : Reflect.get(target, property)),
    }),
    loseNextAnswer: () => {
      cutting = true
    },
  }
}
