import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createDepositStore } from '../../features/validators/deposits/deposit-store.ts'
import { createWithdrawalStore } from '../../features/validators/withdrawals/withdrawal-store.ts'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

const own = await testDatabase('migrated')
afterAll(() => own.drop())

const log = () => undefined
const PLACE = { offset: 0, limit: 10 }
const [FIRST, SECOND] = [5, 6].map((index) => ({ index, pubkey: `0x${String(index).repeat(96)}` })) as [
  { index: number; pubkey: string },
  { index: number; pubkey: string },
]
const ADDRESS = `0x${'ab'.repeat(20)}`
const CREDENTIALS = `0x01${'0'.repeat(22)}${'ab'.repeat(20)}`

/** As it was stored before: two validators, of whom one has a deposit that is lost and one that waits for its slot. */
const stored = `
  insert into validator (index, pubkey, withdrawals_covered, deposits_covered)
    values (5, '${FIRST.pubkey}', '{[1,10)}', '{[0,10)}'), (6, '${SECOND.pubkey}', '{[4,10)}', '{[0,10)}');
  insert into validator_scan (kind, first_block, final_block, final_slot)
    values ('withdrawals', 1, 9, 90), ('deposits', 0, 9, 90);
  insert into validator_withdrawal (validator, index, slot, amount_gwei, address)
    values (5, 7, 70, 17, '${ADDRESS}'), (5, 8, 80, 18, '${ADDRESS}'), (6, 9, 80, 19, '${ADDRESS}');
  insert into validator_deposit (validator, index, amount_gwei, withdrawal_credentials, slot, search_slot, signed)
    values (5, 1, 11, '${CREDENTIALS}', 0, 0, true), (6, 2, 12, '${CREDENTIALS}', 40, 0, false),
      (6, 3, 13, '${CREDENTIALS}', 50, 0, true), (6, 4, 14, '${CREDENTIALS}', null, 60, false)`

test('what was searched and found for validators stays theirs', async () => {
  await own.pool.query('drop schema public cascade; create schema public')
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0017'))
  await migrate({ connection: own.url, log, migrations: before })
  await own.pool.query(stored)
  await migrate({ connection: own.url, log })
  const [withdrawals, deposits] = [createWithdrawalStore(own.db, 'tracked'), createDepositStore(own.db, 'tracked')]
  expect(await withdrawals.page(FIRST, PLACE)).toEqual({
    rows: [
      { validator: 5, index: 8n, slot: 80, amountGwei: 18n, address: ADDRESS },
      { validator: 5, index: 7n, slot: 70, amountGwei: 17n, address: ADDRESS },
    ],
    ...{ totalRows: 2, searchedToSlot: 90 },
  })
  expect(await withdrawals.page(SECOND, PLACE)).toMatchObject({ totalRows: 1, searchedToSlot: null })
  const scan = { firstBlock: 1n, finalBlock: 9n, finalSlot: 90 }
  expect(await withdrawals.scan.missing(scan)).toEqual([{ fromBlock: 1n, toBlock: 3n, validators: [6] }])
  expect(await createWithdrawalStore(own.db, 'all').scan.missing(scan)).toEqual([
    { fromBlock: 1n, toBlock: 9n, validators: 'all' },
  ])
  const deposit = (pubkey: string, index: bigint) => ({
    ...{ pubkey, index, amountGwei: index + 10n, withdrawalCredentials: CREDENTIALS },
  })
  expect(await deposits.page(FIRST, PLACE)).toMatchObject({
    rows: [{ ...deposit(FIRST.pubkey, 1n), slot: 0 }],
    ...{ totalRows: 1, searchedToSlot: 90 },
  })
  expect(await deposits.page(SECOND, PLACE)).toMatchObject({
    rows: [{ ...deposit(SECOND.pubkey, 3n), slot: 50 }],
    ...{ totalRows: 1, searchedToSlot: 59 },
  })
  expect(await deposits.listWaiting(10)).toEqual([{ ...deposit(SECOND.pubkey, 4n), searchSlot: 60 }])
})
