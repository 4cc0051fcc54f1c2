import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartupError } from '../../lib/startup-error.ts'
import { createMasterKeys } from './master-keys.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'coffer-master-key-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const keysHere = (folder = dataDir) => createMasterKeys({ configured: [], dataDir: folder })
const linesOf = (folder = dataDir) => readFileSync(join(folder, 'master.key'), 'utf8').split('\n')

test('nothing is made before it is needed', async () => {
  const keys = keysHere()
  expect(await keys.current()).toBeUndefined()
  expect(await keys.find(Buffer.alloc(16))).toBeUndefined()
  await keys.renew()
  await keys.retire()
  expect(readdirSync(dataDir)).toEqual([])
})

test('the file is made once, whole, for its owner alone, in a folder that may be yet to be made', async () => {
  const folder = join(dataDir, 'new', 'data')
  const made = await Promise.all(Array.from({ length: 20 }, () => keysHere(folder).make()))
  expect(new Set(made.map((key) => key.id.toString('hex'))).size).toBe(1)
  expect(linesOf(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), ''])
  expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['master.key'])
})

test('a new key stands before the old one until that is retired, and others see both', async () => {
  const keys = keysHere()
  const old = await keys.make()
  const service = keysHere()
  expect((await service.current())?.id).toEqual(old.id)
  await keys.renew()
  const current = await keys.current()
  expect(current?.id).not.toEqual(old.id)
  await keys.renew()
  expect((await keysHere().current())?.id).toEqual(current?.id)
  expect((await service.find(current?.id ?? old.id))?.id).toEqual(current?.id)
  expect((await keysHere().find(old.id))?.id).toEqual(old.id)
  await keys.retire()
  await keys.retire()
  expect(await keysHere().find(old.id)).toBeUndefined()
  expect((await service.find(old.id))?.id).toEqual(old.id)
  expect(linesOf()).toHaveLength(2)
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual(['master.key'])
})

test('it belongs to the owner of the folder, regardless of who made or changed it', async () => {
  if (process.getuid?.() === 0) chownSync(dataDir, 12_345, 12_345)
  const { uid, gid } = statSync(dataDir)
  const keys = keysHere()
  for (const change of [keys.make, keys.renew, keys.retire]) {
    await change()
    expect(statSync(join(dataDir, 'master.key'))).toMatchObject({ uid, gid })
  }
})

const key = '7f'.repeat(32)
test.each([
  ['nothing', ''],
  ['half a key', key.slice(0, 40)],
  ['zeros', '0'.repeat(64)],
  ['a key and something else', `${key}\nhunter2\n`],
])('a file with %s in it is refused in a sentence that repeats nothing of it', async (_, content) => {
  writeFileSync(join(dataDir, 'master.key'), content)
  const refusal = await keysHere()
    .current()
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartupError)
  expect((refusal as Error).message).toBe(
    `The master key file ${join(dataDir, 'master.key')} is damaged: restore it from a copy, or set COFFER_MASTER_KEY.`,
  )
})

test('a file that cannot be read is refused', async () => {
  rmSync(dataDir, { recursive: true })
  writeFileSync(dataDir, '')
  chmodSync(dataDir, 0o600)
  await expect(keysHere().current()).rejects.toThrow(
    /^The master key file \S+ cannot be read: [^.]+COFFER_MASTER_KEY\.$/,
  )
})
