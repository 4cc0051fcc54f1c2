import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createInstrumentStore } from '../../knowledge/instrument-store.ts'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

const own = await testDatabase('short_row_names')
afterAll(() => own.drop())

const log = () => undefined

test('what was stored of a row under its whole deployment stays with the row', async () => {
  await own.pool.query('drop schema public cascade; create schema public')
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0037'))
  await migrate({ connection: own.url, log, migrations: before })
  const address = `0x${'ab'.repeat(20)}`
  await own.pool.query(`
    insert into instrument (chain, protocol_row, address, role, fungible, underlyings)
      values ('base', 'some_key {"name":"a b"}', '${address}', 'share', true, '[]');
    insert into instrument_discovery (chain, protocol_row, discovered_at) values ('base', 'some_key {"name":"a b"}', now())`)
  await migrate({ connection: own.url, log })

  // printf '{"name":"a b"}' | sha256sum | head -c 32
  const name = 'some_key d2ed47277773c61fc46d279fbb2c4d13'
  const found = await createInstrumentStore(own.db).find('base', name)
  expect(found?.instruments.map((instrument) => instrument.address)).toEqual([address])
})
