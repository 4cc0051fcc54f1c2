import { useMemo } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import type { UsageSum } from '../../lib/usage.ts'

type SumTableProps = {
  name: string
  first: string
  sums: readonly UsageSum[]
  /** Text of a sum's key; the key itself by default. */
  nameOf?: (key: string) => string
  /** Orders by name, last one first, as the newest day; otherwise by most calls. */
  byName?: boolean
}

export function SumTable({ name, first, sums, nameOf, byName = false }: SumTableProps) {
  const columns = useMemo(() => columnsOf(first, nameOf), [first, nameOf])
  return (
    <DataTable
      name={name}
      rows={sums}
      columns={columns}
      rowKey={({ key }) => key}
      sortBy={{ id: byName ? 'name' : 'calls', desc: true }}
    />
  )
}

const columnsOf = (first: string, nameOf: (key: string) => string = (key) => key): Column<UsageSum>[] => [
  { id: 'name', header: first, value: ({ key }) => key, cell: ({ key }) => nameOf(key) },
  counted('calls', t('Calls'), ({ requests }) => requests),
  counted('answered', t('Answered'), ({ byOutcome }) => byOutcome.ok),
  counted('others', t('Not answered'), ({ requests, byOutcome }) => requests - byOutcome.ok),
  counted('credits', t('Credits'), ({ credits }) => credits),
]

const counted = (id: string, header: string, count: (sum: UsageSum) => number): Column<UsageSum> => ({
  id,
  header,
  end: true,
  sort: 'decimal' as const,
  value: (sum) => String(count(sum)),
  cell: (sum) => <span className="tabular-nums">{formatCount(count(sum))}</span>,
})
