import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { BEACON_FEATURES, beaconNodes } from '../beacon/nodes.ts'
import { FEATURES, gateways, SOLANA_FEATURES, solanaGateways } from '../gateways.ts'
import { refusedAtStart, WRONG_CHAINS } from '../refused-endpoints.ts'

const lines = readFileSync(new URL('../../../../docs/nodes.md', import.meta.url), 'utf8').split('\n')

/** The rows of the table under this header. */
function rowsUnder(...header: readonly string[]): string[] {
  const from = lines.indexOf(rowOf(...header))
  expect(from, rowOf(...header)).toBeGreaterThan(-1)
  const rest = lines.slice(from + 2)
  return rest.slice(0, rest.indexOf(''))
}
const rowOf = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`

test.each([
  ['gateway or client', FEATURES, gateways],
  ['gateway of Solana', SOLANA_FEATURES, solanaGateways],
  ['beacon node', BEACON_FEATURES, beaconNodes],
])(
  'docs/nodes.md lists every %s that is imitated, with what the tests assert, and no other',
  (what, features, rows) => {
    expect(rowsUnder(what, ...features)).toEqual(rows.map(({ name, cells }) => rowOf(name, ...cells)))
  },
)

test('docs/nodes.md lists what the service does not start with, and endpoints that it does not ask', () => {
  const said = refusedAtStart.map((one) => rowOf(one.name, `the start ends: `.concat('`', one.said, '`')))
  const asked = WRONG_CHAINS.map((name) => rowOf(name, 'asked for its proof alone, named by `/readyz` and the log'))
  expect(rowsUnder('endpoint', 'what happens')).toEqual([...said, ...asked])
})

test.each(refusedAtStart)('the service does not start with $name', ({ env, said }) => {
  const start = () => readConfig(env, () => '')
  expect(start).toThrow(said)
  expect(start).not.toThrow('hunter2')
})
