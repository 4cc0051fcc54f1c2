import { Failure } from '@coffer/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ledgerBench } from '../../../test/ledger/accounts.ts'
import { sized } from '../../../test/sized.ts'
import { type Credits, chargeInTransaction, grantCredits, type Hold, type Receipt } from './credits.ts'
import { findViolations } from './ledger.ts'

const { database, open, account: accountWith } = await ledgerBench('model')

/** Expected ledger, computed by plain arithmetic. */
type Model = {
  accounts: { available: number; pending: number; grants: Map<string, number> }[]
  holds: { account: number; amount: number; state: 'open' | 'posted' | 'released' }[]
  charges: { account: number; amount: number; givenBack: boolean }[]
}
type Real = { credits: Credits; ids: string[]; holds: Hold[]; receipts: Receipt[]; next: () => string }
type Command = fc.AsyncCommand<Model, Real>

const accountCount = 3
const anAccount = fc.nat(accountCount - 1)
const anAmount = fc.integer({ min: 1, max: 12 })

/** Result of the call, or its reported shortage. */
async function tell<T>(call: Promise<T>): Promise<T | { required: unknown; available: unknown }> {
  return call.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'INSUFFICIENT_CREDITS') throw error
    return { required: error.extras['creditsRequired'], available: error.extras['creditsAvailable'] }
  })
}

/** After every command, both agree on every account and all invariants hold. */
async function agree(model: Model, real: Real): Promise<void> {
  const { rows } = await database.pool.query(
    'select available::int, pending::int from credit_account where account_id = any($1) order by account_id',
    [real.ids],
  )
  expect(rows).toEqual(model.accounts.map(({ available, pending }) => ({ available, pending })))
  expect(await findViolations(database.db)).toEqual([])
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real)
      await agree(model, real)
    },
    toString: () => name,
  }
}

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}

const grant = (account: number, amount: number, reference: string) =>
  command(`grant(${account}, ${amount}, ${reference})`, async (model, real) => {
    const expected = at(model.accounts, account)
    const before = expected.grants.get(reference)
    const made = grantCredits(database.db, { accountId: at(real.ids, account), amount, reference })
    if (before === undefined) {
      expect(await made).toBe(true)
      expected.grants.set(reference, amount)
      expected.available += amount
    } else if (before === amount) expect(await made).toBe(false)
    else await expect(made).rejects.toThrow('another amount')
  })

const charges = (list: readonly (readonly [account: number, amount: number])[]) =>
  command(`charges(${list.join(' ')})`, async (model, real) => {
    const calls = list.map(([account, amount]) => tell(real.credits.charge(at(real.ids, account), amount, real.next())))
    const answers = await Promise.all(calls)
    for (const [i, [account, amount]] of list.entries()) {
      const expected = at(model.accounts, account)
      if (expected.available < amount) {
        expect(answers[i]).toEqual({ required: amount, available: expected.available })
        continue
      }
      expected.available -= amount
      expect(answers[i]).toEqual({ key: expect.any(String) })
      model.charges.push({ account, amount, givenBack: false })
      real.receipts.push(answers[i] as Receipt)
    }
  })

const hold = (account: number, amount: number) =>
  command(`hold(${account}, ${amount})`, async (model, real) => {
    const expected = at(model.accounts, account)
    const answer = await tell(real.credits.hold(at(real.ids, account), amount, { source: 'request', key: real.next() }))
    if (expected.available < amount) {
      expect(answer).toEqual({ required: amount, available: expected.available })
      return
    }
    expected.available -= amount
    expected.pending += amount
    model.holds.push({ account, amount, state: 'open' })
    real.holds.push(answer as Hold)
  })

const holdAgain = (which: number) =>
  command(`holdAgain(${which})`, async (model, real) => {
    if (model.holds.length === 0) return
    const index = which % model.holds.length
    const { accountId, id } = at(real.holds, index)
    const { rows } = await database.pool.query('select source_key from credit_charge where id = $1', [id])
    const source = { source: 'request', key: rows[0].source_key } as const
    expect(await real.credits.hold(accountId, 1, source)).toBeUndefined()
  })

const end = (which: number, how: 'post' | 'release') =>
  command(`${how}(${which})`, async (model, real) => {
    if (model.holds.length === 0) return
    const index = which % model.holds.length
    const expected = at(model.holds, index)
    const ended = real.credits[how](at(real.holds, index))
    if (how === 'post' && expected.state !== 'open') await expect(ended).rejects.toMatchObject({ code: 'OVERLOADED' })
    else await ended
    if (expected.state !== 'open') return
    expected.state = how === 'post' ? 'posted' : 'released'
    close(model, expected, how === 'release')
  })

function close(model: Model, { account, amount }: { account: number; amount: number }, back: boolean): void {
  const expected = at(model.accounts, account)
  expected.pending -= amount
  if (back) expected.available += amount
}

const giveBack = (which: number) =>
  command(`giveBack(${which})`, async (model, real) => {
    if (model.charges.length === 0) return
    const index = which % model.charges.length
    const expected = at(model.charges, index)
    await real.credits.giveBack(at(real.receipts, index))
    if (!expected.givenBack) at(model.accounts, expected.account).available += expected.amount
    expected.givenBack = true
  })

const expireAndSweep = (every: number) =>
  command(`expireAndSweep(${every})`, async (model, real) => {
    const old = model.holds.filter(({ state }, i) => state === 'open' && i % every === 0)
    const ids = model.holds.flatMap((expected, i) => (old.includes(expected) ? at(real.holds, i).id : []))
    await database.pool.query(`update credit_charge set expires_at = now() - interval '1 s' where id = any($1)`, [ids])
    expect(await real.credits.sweep()).toBe(old.length)
    for (const expected of old) {
      expected.state = 'released'
      close(model, expected, true)
    }
  })

const chargeWithEffect = (account: number, amount: number, succeeds: boolean) =>
  command(`chargeWithEffect(${account}, ${amount}, ${succeeds})`, async (model, real) => {
    const expected = at(model.accounts, account)
    const answer = await tell(
      database.db
        .transaction()
        .execute(async (trx) => {
          await chargeInTransaction(trx, at(real.ids, account), amount, real.next())
          if (!succeeds) throw new Error('the effect failed')
          return 'done' as const
        })
        .catch((error: Error) => {
          if (error.message !== 'the effect failed') throw error
          return 'failed' as const
        }),
    )
    if (expected.available < amount) expect(answer).toEqual({ required: amount, available: expected.available })
    else expect(answer).toBe(succeeds ? 'done' : 'failed')
    if (answer === 'done') expected.available -= amount
  })

const commands = [
  fc.tuple(anAccount, anAmount, fc.constantFrom('a', 'b', 'c')).map((args) => grant(...args)),
  fc.array(fc.tuple(anAccount, anAmount), { minLength: 1, maxLength: 8 }).map(charges),
  fc.tuple(anAccount, anAmount).map((args) => hold(...args)),
  fc.nat(20).map(holdAgain),
  fc.nat(20).map((which) => end(which, 'post')),
  fc.nat(20).map((which) => end(which, 'release')),
  fc.nat(20).map(giveBack),
  fc.integer({ min: 1, max: 3 }).map(expireAndSweep),
  fc.tuple(anAccount, anAmount, fc.boolean()).map((args) => chargeWithEffect(...args)),
]

test('the ledger does what plain arithmetic says, whatever is asked of it in whatever order', async () => {
  let count = 0
  const next = () => `model-${++count}`
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: 'medium', maxCommands: 25 }), async (list) => {
      const start = 20
      const ids: string[] = []
      for (let i = 0; i < accountCount; i += 1) ids.push(await accountWith(start))
      const credits = open()
      const account = () => ({ available: start, pending: 0, grants: new Map<string, number>() })
      const model: Model = { accounts: ids.map(account), holds: [], charges: [] }
      await fc.asyncModelRun(() => ({ model, real: { credits, ids, holds: [], receipts: [], next } }), list)
    }),
    { numRuns: sized({ small: 15, deep: 400 }) },
  )
})
