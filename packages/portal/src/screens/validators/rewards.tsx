import { useMemo, useState } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Field } from '../../components/field.tsx'
import { Percent } from '../../components/figures.tsx'
import { LineChart } from '../../components/line-chart.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n.ts'
import { formatAmount } from '../../lib/money.ts'
import { useSearchState } from '../../lib/search.ts'
import { formatDay, formatMoment, fromUnixSeconds } from '../../lib/time.ts'
import { Ether, toEther } from './ether.tsx'
import { RowList } from './row-list.tsx'
import { type Row, useRows } from './use-rows.ts'

const PATH = '/v1/beacon/validators/rewards/index/:index'
type Reward = Row<typeof PATH>

const SPANS = { '7': 7, '30': 30, '90': 90, '365': 365 } as const
type Span = keyof typeof SPANS
const STEPS = ['epoch', 'day', 'week', 'month'] as const
type Step = (typeof STEPS)[number]
const DAY_SECONDS = 86_400
const MS = 1000

export function Rewards({ index }: { index: string }) {
  const [{ days, step }, put] = useSearchState<'days' | 'step'>()
  const span = (days !== undefined && days in SPANS ? days : '30') as Span
  const granularity = STEPS.find((one) => one === step) ?? 'day'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap gap-3">
        <div className="w-44">
          <Field label={t('Period')}>
            {(control) => (
              <Select
                {...control}
                value={span}
                choices={(Object.keys(SPANS) as Span[]).map((value) => ({
                  value,
                  label: t('{n, plural, one {Last day} other {Last # days}}', { n: SPANS[value] }),
                }))}
                onChoose={(value) => put({ days: value === '30' ? '' : value })}
              />
            )}
          </Field>
        </div>
        <div className="w-44">
          <Field label={t('By')}>
            {(control) => (
              <Select
                {...control}
                value={granularity}
                choices={STEPS.map((value) => ({ value, label: stepText(value) }))}
                onChoose={(value) => put({ step: value === 'day' ? '' : value })}
              />
            )}
          </Field>
        </div>
      </div>
      <RewardList index={index} days={SPANS[span]} granularity={granularity} />
    </div>
  )
}

function stepText(step: Step): string {
  if (step === 'epoch') return t('Epoch')
  if (step === 'day') return t('Day')
  return step === 'week' ? t('Week') : t('Month')
}

type RewardListProps = { index: string; days: number; granularity: Step }

function RewardList({ index, days, granularity }: RewardListProps) {
  const [now] = useState(() => Math.floor(Date.now() / MS))
  const range = { rangeType: 'timestamp', rangeFrom: now - days * DAY_SECONDS, rangeTo: now, granularity }
  const list = useRows(PATH, index, range)
  const columns = useMemo(() => columnsOf(granularity), [granularity])
  return (
    <RowList list={list} nothing={t('No rewards in this period')}>
      {list.rows.length > 1 && <RewardChart rows={list.rows} />}
      <DataTable name={t('Rewards')} rows={list.rows} columns={columns} rowKey={({ epochStart }) => epochStart} />
    </RowList>
  )
}

function RewardChart({ rows }: { rows: readonly Reward[] }) {
  const drawn = useMemo(() => {
    const inOrder = rows.toReversed()
    return {
      moments: inOrder.map(({ timestampEnd }) => fromUnixSeconds(timestampEnd) ?? new Date(0)),
      series: [
        { label: t('Consensus'), values: inOrder.map(({ consensusReward }) => toEther(consensusReward)) },
        { label: t('Execution'), values: inOrder.map(({ executionReward }) => toEther(executionReward)) },
      ],
    }
  }, [rows])
  return <LineChart name={t('Rewards in ETH')} {...drawn} format={formatAmount} />
}

const columnsOf = (granularity: Step): Column<Reward>[] => [
  {
    id: 'period',
    header: t('Period'),
    value: ({ epochStart }) => epochStart,
    sort: 'decimal',
    cell: (row) => (
      <span className="grid">
        <span>{periodOf(row, granularity)}</span>
        <span className="text-xs text-muted">
          {t('epochs {first} to {last}', { first: row.epochStart, last: row.epochEnd })}
        </span>
      </span>
    ),
  },
  {
    id: 'consensus',
    header: t('Consensus'),
    end: true,
    value: ({ consensusReward }) => consensusReward,
    sort: 'decimal',
    cell: ({ consensusReward }) => <Ether wei={consensusReward} />,
  },
  {
    id: 'efficiency',
    header: t('Efficiency'),
    end: true,
    value: ({ consensusEfficiency }) => consensusEfficiency ?? 'N/A',
    sort: 'decimal',
    cell: ({ consensusEfficiency }) => <Percent value={consensusEfficiency ?? 'N/A'} />,
  },
  {
    id: 'execution',
    header: t('Execution'),
    end: true,
    value: ({ executionReward }) => executionReward,
    sort: 'decimal',
    cell: ({ executionReward }) => <Ether wei={executionReward} />,
  },
  {
    id: 'attestations',
    header: t('Attestations missed'),
    end: true,
    value: ({ attestationsMissed }) => attestationsMissed,
    sort: 'decimal',
    cell: (row) => <Missed missed={row.attestationsMissed} done={row.attestationsIncluded} />,
  },
  {
    id: 'sync',
    header: t('Sync missed'),
    end: true,
    cell: (row) => <Missed missed={row.syncMissed} done={row.syncParticipations} />,
  },
  {
    id: 'blocks',
    header: t('Blocks missed'),
    end: true,
    cell: (row) => <Missed missed={row.missedBlocks} done={row.proposedBlocks} />,
  },
  { id: 'mev', header: t('By builders'), end: true, cell: ({ mevBlocks }) => mevBlocks },
  {
    id: 'balance',
    header: t('Effective balance'),
    end: true,
    cell: ({ endEffectiveBalance }) => <Ether wei={endEffectiveBalance} />,
  },
]

/** Missed duties with the number of done ones. */
function Missed({ missed, done }: { missed: string; done: string }) {
  return (
    <span>
      <span className={missed === '0' ? '' : 'text-bad'}>{missed}</span>{' '}
      <span className="text-xs text-muted">{t('{done} done', { done })}</span>
    </span>
  )
}

function periodOf({ dateStart, dateEnd, timestampStart }: Reward, granularity: Step): string {
  if (granularity === 'epoch') {
    const moment = fromUnixSeconds(timestampStart)
    return moment ? formatMoment(moment) : 'N/A'
  }
  return dateStart === dateEnd ? formatDay(dateStart) : `${formatDay(dateStart)} – ${formatDay(dateEnd)}`
}
