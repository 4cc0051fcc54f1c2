import { useState } from 'react'
import { useMay, useV1 } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { Address, shortAddress } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment, Money } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { useWatches, type Watch } from './use-watches.ts'
import { AddWatchDialog, RemoveWatchDialog } from './watch-dialogs.tsx'
import { directionNames, gapTexts, type NameOf, stateName, typeNames, watchName } from './watch-names.ts'

/** Subjects of events that the account named. */
export function WatchesSection() {
  const isOwner = useMay('owner')
  const [open, setOpen] = useState<Watch | 'add' | null>(null)
  const watches = useWatches()
  const { sources, nameOf: labelOf } = useScope()
  const { data: known } = useV1('/v1/chains')
  const chains = known?.filter(({ isPortfolioSupported }) => isPortfolioSupported) ?? []
  const nameOf: NameOf = (key) => labelOf(key) ?? known?.find((one) => one.key === key)?.name ?? shortAddress(key)
  const close = () => setOpen(null)
  const add = isOwner && <Button onClick={() => setOpen('add')}>{t('Add a watch')}</Button>
  return (
    <section aria-labelledby="watches" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h2 id="watches" className="text-sm font-semibold">
            {t('Watches')}
          </h2>
          <p className="text-sm text-muted">
            {t(
              'Thresholds, validators and airdrops that trigger events. To receive them you need a webhook for that kind, or a stream.',
            )}
          </p>
        </div>
        {add}
      </div>
      <QueryView query={watches} lines={2}>
        {({ data: list }) =>
          list.length === 0 ? (
            <EmptyState title={t('No watches yet')}>
              {t('Add a watch, for example for a net worth below a threshold. Watches cost no credits.')}
            </EmptyState>
          ) : (
            <WatchTable watches={list} nameOf={nameOf} onRemove={isOwner ? setOpen : null} />
          )
        }
      </QueryView>
      {open === 'add' && <AddWatchDialog wallets={sources.saved} chains={chains} onClose={close} />}
      {open && open !== 'add' && <RemoveWatchDialog watch={open} name={watchName(open, nameOf)} onClose={close} />}
    </section>
  )
}

type WatchTableProps = {
  watches: readonly Watch[]
  nameOf: NameOf
  /** Null without permission. */
  onRemove: ((watch: Watch) => void) | null
}

function WatchTable({ watches, nameOf, onRemove }: WatchTableProps) {
  const columns = [...facts(nameOf), ...(onRemove ? [removal(nameOf, onRemove)] : [])]
  return <DataTable name={t('List of watches')} rows={watches} columns={columns} rowKey={({ id }) => id} />
}

const NOTHING = <span className="text-muted">–</span>

const facts = (nameOf: NameOf): Column<Watch>[] => [
  { id: 'type', header: t('Kind'), value: ({ type }) => typeNames[type](), cell: ({ type }) => typeNames[type]() },
  { id: 'subject', header: t('Subject'), cell: (watch) => <Subject watch={watch} nameOf={nameOf} /> },
  {
    id: 'threshold',
    header: t('Threshold'),
    end: true,
    cell: ({ type, direction, threshold }) =>
      direction === null || threshold === null ? (
        NOTHING
      ) : (
        <>
          {directionNames[direction]()} <WatchFigure type={type} value={threshold} />
        </>
      ),
  },
  {
    id: 'value',
    header: t('Last value'),
    end: true,
    cell: ({ type, threshold, value }) => (threshold === null ? NOTHING : <WatchFigure type={type} value={value} />),
  },
  { id: 'state', header: t('State'), cell: (watch) => <WatchState watch={watch} nameOf={nameOf} /> },
  {
    id: 'checked',
    header: t('Last checked'),
    cell: ({ checkedAt }) => (checkedAt === null ? NOTHING : <Moment relative at={checkedAt} />),
  },
]

const removal = (nameOf: NameOf, onRemove: (watch: Watch) => void): Column<Watch> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (watch) => (
    <Button
      size="sm"
      aria-label={t('Remove {name}', { name: watchName(watch, nameOf) })}
      onClick={() => onRemove(watch)}
    >
      {t('Remove')}
    </Button>
  ),
})

/** A wallet, a token in it, or a validator; empty if the account itself is watched. */
function Subject({ watch: { address, chain, contract, validator }, nameOf }: { watch: Watch; nameOf: NameOf }) {
  const subject = address ?? validator
  if (subject === null) return NOTHING
  const name = nameOf(subject)
  return (
    <>
      <Address address={subject} {...(name !== shortAddress(subject) && { label: name })} />
      {chain !== null && contract !== null && (
        <span className="block text-muted">
          {nameOf(chain)} <Address address={contract} />
        </span>
      )}
    </>
  )
}

function WatchFigure({ type, value }: { type: Watch['type']; value: string }) {
  return type === 'netWorth' ? <Money value={value} /> : <Amount value={value} />
}

const tones = { waiting: 'neutral', clear: 'good', past: 'bad' } as const

/** The last known state, and why it is unknown at present. */
function WatchState({ watch, nameOf }: { watch: Watch; nameOf: NameOf }) {
  return (
    <>
      <Badge tone={tones[watch.state]}>{stateName(watch)}</Badge>
      {gapTexts(watch, nameOf).map((text) => (
        <span key={text} className="block max-w-72 min-w-48 text-[0.8125rem] whitespace-normal text-warn">
          {text}
        </span>
      ))}
    </>
  )
}
