import { useMemo } from 'react'
import { useAccount } from '../../api/queries.ts'
import { addressOf } from '../../api/request.ts'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Field } from '../../components/field.tsx'
import { Menu } from '../../components/menu.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { downloadFrom } from '../../lib/download.ts'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import type { PnlChoice } from './choice.ts'
import { Computing } from './computing.tsx'
import { earningColumns, openColumns, soldColumns } from './lot-columns.tsx'
import { methodNames } from './period-table.tsx'
import { type CostMethod, type LotsAsked, METHODS, useEarnings, useOpenLots, useSoldLots } from './use-pnl.ts'

const LISTS = ['sold', 'open', 'income'] as const

type LotsProps = { name: string; asked: LotsAsked; list: string | undefined; put: PnlChoice['put'] }

export function LotsSection({ name, asked, list, put }: LotsProps) {
  return (
    <section aria-labelledby="pnl-lots" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h3 id="pnl-lots" className="text-sm font-semibold">
          {t('Lots of {period}', { period: name })}
        </h3>
        <div className="w-56">
          <Field label={t('Method')}>
            {(control) => (
              <Select<CostMethod>
                {...control}
                value={asked.method}
                choices={METHODS.map((value) => ({ value, label: methodNames[value]() }))}
                onChoose={(method) => put({ method })}
              />
            )}
          </Field>
        </div>
      </div>
      {asked.method === 'AVG' && (
        <p className="text-sm text-muted">
          {t(
            'Average cost does not distinguish units of an asset, so lots have no purchase date. Other methods keep lots.',
          )}
        </p>
      )}
      <Tabs<(typeof LISTS)[number]>
        name={t('Lots')}
        value={LISTS.find((one) => one === list) ?? 'sold'}
        onChoose={(value) => put({ list: value })}
        tabs={[
          { value: 'sold', label: t('Sold'), content: <Sold asked={asked} /> },
          { value: 'open', label: t('Held at the end'), content: <Open asked={asked} /> },
          { value: 'income', label: t('Earned'), content: <Earned asked={asked} /> },
        ]}
      />
    </section>
  )
}

function Sold({ asked }: { asked: LotsAsked }) {
  const empty = {
    title: t('No sales'),
    text: t('Swaps, repayments and liquidations of the period are listed here.'),
  }
  return (
    <>
      <SaveMenu asked={asked} />
      <LotList name={t('Sold lots')} pages={useSoldLots(asked)} columns={soldColumns} empty={empty} />
    </>
  )
}

/** Saves all sold lots, however many. */
function SaveMenu({ asked }: { asked: LotsAsked }) {
  const { id: account } = useAccount()
  const save = (format: string) =>
    downloadFrom(
      addressOf('/accounts/:account/v1/gains/export', {
        params: { account },
        query: { ...asked, format, partial: true },
      }),
    )
  return (
    <div className="flex justify-end">
      <Menu
        name={t('Save as a file: all sold lots')}
        label={t('Save as a file')}
        actions={[
          { label: t('CSV, one line per lot'), onSelect: () => save('COFFER') },
          { label: t('Form 8949'), onSelect: () => save('FORM_8949') },
          // The German format supports no other method.
          ...(asked.method === 'FIFO'
            ? [{ label: t('Germany, with its one-year holding period'), onSelect: () => save('GERMANY') }]
            : []),
        ]}
      />
    </div>
  )
}

function Open({ asked }: { asked: LotsAsked }) {
  const empty = { title: t('No holdings'), text: t('Holdings at the end of the period are listed here.') }
  return <LotList name={t('Held lots')} pages={useOpenLots(asked)} columns={openColumns} empty={empty} />
}

function Earned({ asked }: { asked: LotsAsked }) {
  const empty = {
    title: t('No income'),
    text: t('Rewards, airdrops and interest of the period are listed here.'),
  }
  return <LotList name={t('Income')} pages={useEarnings(asked)} columns={earningColumns} empty={empty} />
}

type LotListProps<Lot> = {
  name: string
  pages: {
    data: { pages: readonly { total: number; lots: readonly Lot[]; computedTo: string | null }[] } | undefined
    error: Error | null
    refetch: () => Promise<unknown>
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
  columns: () => readonly Column<Lot & { key: string }>[]
  empty: { title: string; text: string }
}

function LotList<Lot extends object>({ name, pages, columns, empty }: LotListProps<Lot>) {
  return (
    <QueryView query={pages} lines={5}>
      {({ pages: read }) => {
        const computedTo = read[0]?.computedTo
        if (computedTo) return <Computing to={computedTo} />
        const lots = read.flatMap((page) => page.lots).map((lot, place) => ({ ...lot, key: String(place) }))
        if (lots.length === 0) return <EmptyState title={empty.title}>{empty.text}</EmptyState>
        return (
          <>
            <LotTable name={name} lots={lots} columns={columns} />
            <p className="flex flex-wrap items-center gap-3 text-[0.8125rem] text-muted">
              {t('{shown} of {all}', { shown: formatCount(lots.length), all: formatCount(read[0]?.total ?? 0) })}
              {pages.hasNextPage && (
                <Button size="sm" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                  {t('Show more')}
                </Button>
              )}
            </p>
          </>
        )
      }}
    </QueryView>
  )
}

type LotTableProps<Lot> = Pick<LotListProps<Lot>, 'name' | 'columns'> & { lots: readonly (Lot & { key: string })[] }

function LotTable<Lot extends object>({ name, lots, columns }: LotTableProps<Lot>) {
  const made = useMemo(columns, [columns])
  return <DataTable name={name} rows={lots} columns={made} rowKey={({ key }) => key} />
}
