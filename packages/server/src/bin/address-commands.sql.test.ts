import { beforeAll, describe, expect, test } from 'vitest'
import { lockAwaited } from '../../test/database.ts'
import { accountWith } from '../../test/ledger/accounts.ts'
import { commandBench, operator } from '../../test/operator.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const SPELT = `0x${'aB'.repeat(20)}`
const NEVER = '9999-12-31T23:59:59.000Z'

const { run, refused, database, account } = await commandBench('address_commands')

beforeAll(async () => {
  const save = `insert into address_book_entry (account_id, address, label) values ($1, $2, 'Safe')`
  await database.pool.query(save, [account, ADDRESS])
})

const setting = (...args: string[]) => ['address', 'set', '--account', account, '--address', SPELT, ...args]
const set = (...args: string[]) => run(setting(...args))
const entryAfter = async (...args: string[]) => JSON.parse((await set(...args)).stdout)

const free = { address: ADDRESS, label: 'Safe', plan: 'FREE', expiresAt: null, isPaid: false, ownerAuthorized: false }

test('the plan and the authorisation of an entry are set, each alone or both', async () => {
  expect(await entryAfter()).toEqual({ account, ...free })
  const paid = await entryAfter('--plan', 'LITE', '--expires-at', NEVER)
  expect(paid).toEqual({ account, ...free, plan: 'LITE', expiresAt: NEVER, isPaid: true })
  expect(await entryAfter('--owner-authorized', 'true')).toEqual({ ...paid, ownerAuthorized: true })
  const past = await entryAfter('--plan', 'PRO', '--expires-at', '2020-02-29T23:00:00+01:00')
  const ended = { plan: 'PRO', expiresAt: '2020-02-29T22:00:00.000Z', isPaid: false }
  expect(past).toEqual({ ...paid, ...ended, ownerAuthorized: true })
  expect(await entryAfter('--plan', 'FREE', '--owner-authorized', 'false')).toEqual({ account, ...free })
})

test('whether it is paid for is judged by the clock of the database', async () => {
  const { rows } = await database.pool.query<{ soon: Date }>(`select now() + interval '1 minute' as soon`)
  const soon = rows[0]?.soon ?? new Date(0)
  expect(await entryAfter('--plan', 'PRO', '--expires-at', soon.toISOString())).toMatchObject({ isPaid: true })
  await database.pool.query(`update address_book_entry set expires_at = now() - interval '1 millisecond'`)
  expect(await entryAfter()).toMatchObject({ plan: 'PRO', isPaid: false })
  await entryAfter('--plan', 'FREE')
})

describe('a refusal is one sentence, and changes nothing:', () => {
  test.each([
    ['--plan LITE', '--plan LITE needs --expires-at.'],
    ['--plan PRO --owner-authorized true', '--plan PRO needs --expires-at.'],
    [`--plan FREE --expires-at ${NEVER}`, '--expires-at goes with --plan LITE or PRO alone.'],
    [`--expires-at ${NEVER}`, '--expires-at goes with --plan LITE or PRO alone.'],
    ['--plan GOLD', '--plan must be one of FREE, LITE, PRO.'],
    ['--owner-authorized yes', '--owner-authorized must be true or false.'],
    ...['2027-02-29', '2027-01-01T25:00:00Z', '2027-01-01T00:00:00', 'tomorrow', '1893456000'].map((time) => [
      `--plan PRO --expires-at ${time}`,
      '--expires-at must be a time as in ISO 8601, e.g. 2027-01-31T12:00:00Z.',
    ]),
  ])('%s', async (line = '', sentence = '') => {
    expect(await set(...line.split(' '))).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` })
    expect(await entryAfter()).toEqual({ account, ...free })
  })

  test('an address that is not in the book, is none, or an account that there is not', async () => {
    const other = await accountWith(database.db, 0)
    const authorized = ['--owner-authorized', 'true']
    const refusal = (of: string, address: string) =>
      refused(['address', 'set', '--account', of, '--address', address, ...authorized])
    expect(await refusal(other, SPELT)).toBe(`The address book of account ${other} has no ${ADDRESS}.`)
    expect(await refusal(account, '0x12')).toBe('--address is not a wallet address.')
    expect(await refusal('999999', SPELT)).toBe('There is no account 999999.')
    expect(await entryAfter()).toEqual({ account, ...free })
  })
})

test('an entry is not removed by whoever looked at it before it was paid for', async () => {
  const remover = await database.pool.connect()
  await remover.query('begin')
  await remover.query('select credit_lock(array[$1::bigint])', [account])
  // The limits of the test's own pool may end a wait for a lock.
  const done = operator({ DATABASE_URL: database.url }).run(setting('--plan', 'PRO', '--expires-at', NEVER))
  await lockAwaited(database)
  await remover.query('delete from address_book_entry where account_id = $1', [account])
  await remover.query('commit')
  remover.release()
  const stderr = `The address book of account ${account} has no ${ADDRESS}.\n`
  expect(await done).toEqual({ code: 1, stdout: '', stderr })
})
