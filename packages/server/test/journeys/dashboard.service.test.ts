import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDevnet } from '@coffer/devnet'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { startService } from '../harness.ts'
import { started } from '../started.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
type Rules = { groups: { rules: { alert: string; expr: string }[] }[] }

const panels = (JSON.parse(read('deploy/grafana/coffer.json')) as Dashboard).panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
)
const alerts = (parse(read('deploy/prometheus/alerts.yml')) as Rules).groups.flatMap(({ rules }) =>
  rules.map(({ alert, expr }) => [alert, expr] as const),
)

/** Prometheus sets them. */
const ADDED = new Set(['instance', 'job'])
/** A healthy service has no such series. */
const OF_FAULTS = ['coffer_http_refusals_total{status="503"}', 'coffer_http_request_seconds_count{status="500"}']

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))

/** A query's series with the labels that it selects, and the labels that it groups by. */
function partsOf(expr: string) {
  const series = [...expr.matchAll(/\b((?:coffer|nodejs|process)_[a-z0-9_]+)(?:\{(.*?)\})?/g)].map(
    ([text, name = '', labels = '']) => ({
      text,
      name,
      labels: [...labels.matchAll(/(\w+)(=|!=)"(.*?)"/g)].map(([, label = '', how, value = '']) => ({
        label,
        how,
        value,
      })),
    }),
  )
  const groups = [...expr.matchAll(/by \((.*?)\)/g)].flatMap(([, names = '']) => names.split(/, ?/))
  return { series, groups }
}

/** Labels of each series, by name. */
async function metrics(): Promise<Map<string, Record<string, string>[]>> {
  const { payload } = await service.context.admin.inject('/metrics')
  const lines = payload.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const all = lines.map((line) => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    return {
      name,
      labels: Object.fromEntries([...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, key, value]) => [key, value])),
    }
  })
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, some]) => [name, some.map(({ labels }) => labels)]),
  )
}

test('each query of the dashboard and of the alerts has data after some traffic, and each metric is in the guide', async () => {
  await service.context.database.pool.query('update account set rate_limit_default = 1')
  const statuses = [(await service.get('/v1/credits')).status, (await service.get('/v1/credits')).status]
  expect(statuses).toContain(429)
  const wallet = devnet.wallets.demo.address
  expect((await service.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`)).status).toBe(200)
  const found = await metrics()
  const guide = read('docs/deployment.md')

  const queries = [...panels, ...alerts]
  expect([panels.length, alerts.length]).toEqual([26, 13])
  const missing = queries.flatMap(([title, expr]) => {
    const { series, groups } = partsOf(expr)
    return series.flatMap(({ text, name, labels }) => {
      const own = labels.filter(({ label }) => !ADDED.has(label))
      const matching = (found.get(name) ?? []).filter((each) =>
        own.every(({ label, how, value }) => label in each && (how === '=') === (each[label] === value)),
      )
      const grouped = matching.filter((each) => groups.every((label) => ADDED.has(label) || label in each))
      return grouped.length > 0 || OF_FAULTS.includes(text) || text.includes('outcome!=') ? [] : [`${title}: ${text}`]
    })
  })
  expect(missing).toEqual([])

  const named = new Set(queries.flatMap(([, expr]) => partsOf(expr).series.map(({ name }) => name)))
  const own = [...found.keys()].filter((name) => name.startsWith('coffer_'))
  const plain = (name: string) => name.replace(/_(bucket|sum|count)$/, '')
  expect([...new Set(own.map(plain))].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  expect([...named].filter((name) => name.startsWith('coffer_') && !guide.includes(`\`${plain(name)}\``))).toEqual([])
})
