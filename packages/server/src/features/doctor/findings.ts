/** `warn`: works with limits. */
export type Verdict = { state: 'ok' | 'warn' | 'fail'; problem?: string }

export type Finding = Verdict & {
  check: 'endpoint' | 'beacon' | 'runtime' | 'database' | 'replica' | 'disk' | 'clock' | 'prices' | 'queue' | 'secrets'
  name: string
  /** null: unknown. */
  facts: Readonly<Record<string, string | number | boolean | null>>
}

const shown = (value: string | number | boolean | null | undefined): string => {
  if (value === undefined) return ''
  if (value === null) return '?'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}

export function tableOf(findings: readonly Finding[]): string {
  return [...Map.groupBy(findings, ({ check }) => check)]
    .map(([check, ofIt]) => {
      const columns = [...new Set(ofIt.flatMap(({ facts }) => Object.keys(facts)))]
      const rows = [
        [check, 'state', ...columns],
        ...ofIt.map(({ name, state, facts }) => [name, state, ...columns.map((column) => shown(facts[column]))]),
      ]
      const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
      const lines = rows.map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      const problems = ofIt.flatMap(({ name, state, problem }) => (problem ? [`${state}: ${name}: ${problem}`] : []))
      return [...lines, ...problems].join('\n')
    })
    .join('\n\n')
}
