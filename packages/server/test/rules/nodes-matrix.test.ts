import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  expiredHistory,
  gatewaysWithoutBatches,
  gatewaysWithoutLogs,
  limitedGateways,
  prunedGateways,
} from '../gateways.ts'

const docs = readFileSync(new URL('../../../../docs/nodes.md', import.meta.url), 'utf8')

test('docs/nodes.md lists every gateway that is imitated, with what the tests assert, and no other', () => {
  const said = [...gatewaysWithoutLogs, expiredHistory]
  const whole = [...limitedGateways, ...gatewaysWithoutBatches(() => false)]
  const row =
    (transactions: string) =>
    ({ name }: { name: string }) =>
      `| ${name} | whole | ${transactions} |`
  const rows = [...said.map(row('said')), ...whole.map(row('whole')), ...prunedGateways.map(row('said'))]
  const shown = docs.split('\n').filter((line) => /\| (whole|said) \|$/.test(line))
  expect(shown).toEqual(rows)
})
