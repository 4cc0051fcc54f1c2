import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'

function capture() {
  const lines: string[] = []
  const stream = new PassThrough().on('data', (line) => lines.push(String(line)))
  return { logger: createLogger({ level: 'info', stream }), read: () => lines.map((line) => JSON.parse(line)), lines }
}

const SECRET = 's3cret'

test('secrets leave neither by property, message, error nor cause', () => {
  const { logger, lines } = capture()
  const cause = new Error(`connect postgres://coffer:${SECRET}@db:5432/coffer`)
  logger.info(
    { authorization: `Bearer ${SECRET}`, headers: { authorization: SECRET }, config: { password: SECRET } },
    'x',
  )
  logger.warn(`GET https://eth.example/v3/${SECRET}?key=${SECRET} failed for coffer_${SECRET}`)
  logger.error({ err: new Error(`Bearer ${SECRET}`, { cause }) }, 'failed')
  logger.error({ err: `https://node.example/${SECRET}` }, 'thrown text')
  expect(lines).toHaveLength(4)
  expect(lines.join('')).not.toContain(SECRET)
  expect(lines.join('')).toContain('https://eth.example/[redacted]')
})

test('a line is JSON with level, time and message', () => {
  const { logger, read } = capture()
  logger.debug('not written')
  logger.info({ chain: 'base' }, 'read')
  expect(read()).toEqual([{ level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), chain: 'base', msg: 'read' }])
})
