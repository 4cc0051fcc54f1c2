import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { bindRow } from '../../kinds/evm/families/bind-row.ts'
import { lido } from '../../kinds/evm/families/lido/family.ts'
import { createInstrumentStore } from '../../knowledge/instrument-store.ts'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

const own = await testDatabase('short_row_names')
afterAll(() => own.drop())

const log = () => undefined

test('what was stored of a row under its whole deployment stays with the row', async () => {
  const [row] = lido.rows
  if (!row) throw new Error('the family has no row')
  await own.pool.query('drop schema public cascade; create schema public')
  await migrate({
    connection: own.url,
    log,
    migrations: Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0037')),
  })
  const named = [row.chain, `${row.key} ${JSON.stringify(row.deployment)}`]
  const address = `0x${'ab'.repeat(20)}`
  await own.pool.query(
    `insert into instrument (chain, protocol_row, address, role, fungible, underlyings) values ($1, $2, $3, 'share', true, '[]')`,
    [...named, address],
  )
  await own.pool.query(
    'insert into instrument_discovery (chain, protocol_row, discovered_at) values ($1, $2, now())',
    named,
  )
  await migrate({ connection: own.url, log })

  const adapter = bindRow(lido, { family: lido.name, ...row })
  const found = await createInstrumentStore(own.db).find(row.chain, adapter.id)
  expect(found?.instruments.map((instrument) => instrument.address)).toEqual([address])
})
