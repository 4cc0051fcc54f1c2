import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processEnv } from '../src/config/env.ts'

/** Reads the tables of `public`, each of one column `t`, at the given snapshot. */
const DUMP = `
const [target, file, snapshot] = ['dbname', 'file', 'snapshot'].map((name) => given(name))
await client.query('begin isolation level repeatable read')
await client.query("set transaction snapshot '" + snapshot + "'")
const { rows: tables } = await client.query("select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace")
const all = {}
for (const { relname } of tables) all[relname] = (await client.query('select t from ' + relname)).rows.map(({ t }) => t)
writeFileSync(file, JSON.stringify(all))
`
const RESTORE = `
for (const [name, values] of Object.entries(JSON.parse(readFileSync(process.argv.at(-2), 'utf8')))) {
  await client.query('create table ' + name + ' (t text)')
  for (const value of values) await client.query('insert into ' + name + ' values ($1)', [value])
}
`
const program = (body: string) => `#!${process.execPath}
import { readFileSync, writeFileSync } from 'node:fs'
import pg from '${import.meta.resolve('pg')}'
const given = (name) => process.argv.find((each) => each.startsWith('--' + name + '=')).slice(name.length + 3)
if (/:[^/]*@/.test(given('dbname'))) throw new Error('the password is in the arguments')
const client = new pg.Client({ connectionString: given('dbname'), password: process.env.PGPASSWORD })
await client.connect()
${body}
await client.end()
`

/**
 * Folder of pg_dump and pg_restore: `COFFER_TEST_POSTGRES_PROGRAMS`, else stand-ins written to `folder`, since npm has
 * no client programs. They copy tables of texts.
 */
export function postgresPrograms(folder: string): string {
  const own = processEnv()['COFFER_TEST_POSTGRES_PROGRAMS']
  if (own) return own
  for (const [name, body] of [
    ['pg_dump', DUMP],
    ['pg_restore', RESTORE],
  ] as const) {
    writeFileSync(join(folder, name), program(body))
    chmodSync(join(folder, name), 0o755)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}
