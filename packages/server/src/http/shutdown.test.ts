import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const PROGRAM = `
import { stopOnSignals } from ${JSON.stringify(join(import.meta.dirname, 'shutdown.ts'))}
const running = setInterval(() => {}, 1000)
stopOnSignals(async () => {
  console.log('stopping')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  clearInterval(running)
}, console)
console.log('ready')
`

test('a signal that npm, the launcher and the terminal all pass on stops the service once, and in full', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM])
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const closed = once(child, 'close')
  expect((await lines.next()).value).toBe('ready')
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) child.kill(signal)
  expect((await lines.next()).value).toBe('stopping')
  child.stdin.end('done\n')
  expect(await closed).toEqual([0, null])
})

test('a stop that fails exits with 1', async () => {
  const failing = PROGRAM.replace("console.log('stopping')", "throw new Error('the database is gone')")
  const child = spawn(process.execPath, ['--input-type=module', '--eval', failing])
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const closed = once(child, 'close')
  expect((await lines.next()).value).toBe('ready')
  child.kill('SIGTERM')
  expect(await closed).toEqual([1, null])
})
