import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { postgresPrograms } from '../../../test/postgres-programs.ts'
import { processEnv } from '../../config/env.ts'
import { createAccount } from '../accounts/accounts.ts'
import { createBackup, verifyBackup } from './backup.ts'
import { differences, tableSums } from './table-sums.ts'

const { adminUrl } = inject('postgres')
const whole = await suiteDatabase('sums')
const folder = mkdtempSync(join(tmpdir(), 'coffer-backup-'))
const programs = { folder: postgresPrograms(mkdtempSync(join(folder, 'programs-'))), env: processEnv() }
const plain = `plain_${process.pid}`
const admin = new pg.Client(adminUrl)
await admin.connect()
await admin.query(`create database ${plain} template template0`)
const url = Object.assign(new URL(adminUrl), { pathname: `/${plain}` }).href
const source = new pg.Client(url)
await source.connect()
await source.query(`create table one (t text); create table two (t text); insert into one values ('a'), ('a'), (null)`)

afterAll(async () => {
  await source.end()
  await admin.query(`drop database ${plain} with (force)`)
  await admin.end()
  rmSync(folder, { recursive: true })
})

let to = ''
beforeEach(() => {
  to = mkdtempSync(join(folder, 'to-'))
})

const at = (day: number) => new Date(Date.UTC(2027, 0, day, 2, 30))
const create = (day: number, keep = 14) => createBackup({ folder: to, programs, url, keep, now: at(day) })
const verify = (name?: string) => verifyBackup({ folder: to, programs, serverUrl: adminUrl, name })
const scratch = async () =>
  (await admin.query(`select from pg_database where datname like 'coffer\\_verify%'`)).rowCount

test('a dump restores to the same rows, is for its owner alone, and leaves no database behind', async () => {
  const made = await create(1)
  expect(made).toMatchObject({ file: join(to, 'coffer-20270101T023000Z.dump'), tables: 2, rows: '3', removed: [] })
  expect(readdirSync(to)).toEqual(['coffer-20270101T023000Z.dump', 'coffer-20270101T023000Z.json'])
  expect(readdirSync(to).map((file) => statSync(join(to, file)).mode & 0o777)).toEqual([0o600, 0o600])
  expect(await verify()).toEqual({
    file: made.file,
    createdAt: '2027-01-01T02:30:00.000Z',
    tables: 2,
    rows: '3',
    differences: [],
  })
  expect(await scratch()).toBe(0)
})

test('only the newest dumps stay, and a dump without its description is none', async () => {
  for (const day of [1, 2, 3]) await create(day, 2)
  writeFileSync(join(to, 'coffer-20270104T023000Z.dump'), '')
  const names = readdirSync(to).filter((file) => file.endsWith('.json'))
  expect(names).toEqual(['coffer-20270102T023000Z.json', 'coffer-20270103T023000Z.json'])
  expect((await verify()).file).toBe(join(to, 'coffer-20270103T023000Z.dump'))
  expect((await verify('coffer-20270102T023000Z')).differences).toEqual([])
  await expect(verify('coffer-20270101T023000Z')).rejects.toThrow('There is no backup coffer-20270101T023000Z in')
})

test('a dump that was changed, and one that lacks a row, are reported', async () => {
  const { file } = await create(1)
  const description = file.replace('.dump', '.json')
  const { tables, ...rest } = JSON.parse(readFileSync(description, 'utf8'))
  const more = { ...tables, 'public.one': { rows: '4', checksum: '7' }, 'public.three': { rows: '0', checksum: '0' } }
  writeFileSync(description, JSON.stringify({ ...rest, tables: more }))
  expect((await verify()).differences).toEqual(['public.one has 3 rows instead of 4', 'public.three is missing'])
  writeFileSync(file, 'x')
  expect((await verify()).differences).toEqual(['the file has other contents'])
  expect(await scratch()).toBe(0)
})

test('a program that is missing or fails leaves no dump', async () => {
  const broken = { folder: to, url, keep: 1, now: at(1) }
  await expect(createBackup({ ...broken, programs: { ...programs, folder: '/nowhere' } })).rejects.toThrow(
    'pg_dump cannot be run: install the client programs of PostgreSQL',
  )
  const away = url.replace(plain, 'away')
  await expect(createBackup({ ...broken, programs, url: away })).rejects.toThrow('database "away" does not exist')
  expect(readdirSync(to)).toEqual([])
  await expect(verify()).rejects.toThrow(`There is no backup in ${to}.`)
  const file = join(to, 'no-folder')
  writeFileSync(file, '')
  const unread = verifyBackup({ folder: file, programs, serverUrl: adminUrl })
  await expect(unread).rejects.toThrow(`The folder ${file} cannot be read: ENOTDIR.`)
})

test('sums of all tables of Coffer are those of a copy, until a row differs', async () => {
  const wanted = { plan: 'FREE', entitlements: [], credits: 5 } as const
  for (const name of ['one', 'two']) await createAccount(whole.db, { name, ...wanted })
  const sums = async () => {
    const client = await whole.pool.connect()
    try {
      await client.query('begin')
      return await tableSums(client)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  const before = await sums()
  expect(Object.keys(before).length).toBeGreaterThan(80)
  expect(before['public.account']?.rows).toBe('2')
  expect(differences(before, await sums())).toEqual([])
  await whole.pool.query(`update account set name = 'other' where name = 'two'`)
  expect(differences(before, await sums())).toEqual(['public.account has other contents'])
})
