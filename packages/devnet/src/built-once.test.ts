import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtOnce } from './built-once.ts'

const run = promisify(execFile)
let cache: string
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'built-once-'))
})
afterEach(() => rmSync(cache, { recursive: true, force: true }))

const write = (text: string) => async (folder: string) => writeFileSync(join(folder, 'made'), text)

test('builds once and keeps the result', async () => {
  const folder = await builtOnce(cache, 'one', write('first'))
  await builtOnce(cache, 'one', write('second'))
  expect(folder).toBe(join(cache, 'one'))
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('first')
})

test('replaces what other names have left', async () => {
  await builtOnce(cache, 'old', write('old'))
  await builtOnce(cache, 'new', write('new'))
  expect(readdirSync(cache)).toEqual(['new'])
})

test('a build that fails leaves nothing, and the next one succeeds', async () => {
  const broken = async (folder: string) => {
    await write('half')(folder)
    throw new Error('no disk')
  }
  await expect(builtOnce(cache, 'one', broken)).rejects.toThrow('no disk')
  expect(readdirSync(cache)).toEqual([])
  await builtOnce(cache, 'one', write('whole'))
  expect(readFileSync(join(cache, 'one', 'made'), 'utf8')).toBe('whole')
})

test('takes over from a process that died while building', async () => {
  const { stdout } = await run(process.execPath, ['--print', 'process.pid'])
  writeFileSync(join(cache, 'one.lock'), stdout.trim())
  mkdirSync(join(cache, `one.${stdout.trim()}`))
  await builtOnce(cache, 'one', write('again'))
  expect(existsSync(join(cache, 'one', 'made'))).toBe(true)
  expect(readdirSync(cache)).toEqual(['one'])
})

test('of several processes that start together exactly one builds', async () => {
  const log = `${cache}.log`
  const script = `
    import { appendFileSync, writeFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { builtOnce } from ${JSON.stringify(join(import.meta.dirname, 'built-once.ts'))}
    await builtOnce(${JSON.stringify(cache)}, 'one', async (folder) => {
      appendFileSync(${JSON.stringify(log)}, 'built\\n')
      await setTimeout(300)
      writeFileSync(folder + '/made', 'whole')
    })`
  const start = () => run(process.execPath, ['--input-type=module', '--eval', script])
  await Promise.all([start(), start(), start(), start()])
  const builders = readFileSync(log, 'utf8')
  rmSync(log)
  expect(builders).toBe('built\n')
  expect(readFileSync(join(cache, 'one', 'made'), 'utf8')).toBe('whole')
})
