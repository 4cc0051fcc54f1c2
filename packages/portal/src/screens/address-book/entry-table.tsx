import { useMemo } from 'react'
import { Address } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { familyOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { type Entry, titleOf } from './book.ts'
import { LabelCell } from './label-cell.tsx'

type Open = (open: { kind: 'remove' | 'prove'; entry: Entry }) => void
type May = { label: boolean; change: boolean }

export function EntryTable({ entries, may, onOpen }: { entries: readonly Entry[]; may: May; onOpen: Open }) {
  const columns = useMemo(
    () => columnsOf({ label: may.label, change: may.change }, onOpen),
    [may.label, may.change, onOpen],
  )
  return <DataTable name={t('Address book')} rows={entries} columns={columns} rowKey={({ address }) => address} />
}

const columnsOf = (may: May, onOpen: Open): Column<Entry>[] => [
  {
    id: 'label',
    header: t('Label'),
    value: ({ label }) => label,
    cell: (entry) => (may.label ? <LabelCell entry={entry} /> : entry.label),
  },
  {
    id: 'address',
    header: t('Address'),
    value: ({ address }) => address,
    cell: ({ address }) => <Address address={address} />,
  },
  {
    id: 'read',
    header: t('Read'),
    cell: ({ address }) =>
      familyOf(address) ? (
        t('yes')
      ) : (
        <Badge title={t('No chain of the service supports this address. It is saved as a note.')}>
          {t('saved only')}
        </Badge>
      ),
  },
  { id: 'plan', header: t('Plan'), value: ({ plan }) => plan, cell: (entry) => <Plan entry={entry} /> },
  {
    id: 'owner',
    header: t('Ownership'),
    value: ({ ownerAuthorized }) => String(ownerAuthorized),
    cell: ({ ownerAuthorized }) =>
      ownerAuthorized ? (
        <Badge tone="good">{t('proved')}</Badge>
      ) : (
        <span className="text-muted">{t('not proved')}</span>
      ),
  },
  ...(may.change ? [actions(onOpen)] : []),
]

const actions = (onOpen: Open): Column<Entry> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (entry) => (
    <Menu
      name={t('Actions for {name}', { name: titleOf(entry) })}
      actions={[
        ...(familyOf(entry.address)
          ? [{ label: t('Prove ownership'), onSelect: () => onOpen({ kind: 'prove', entry }) }]
          : []),
        { label: t('Remove'), danger: true, onSelect: () => onOpen({ kind: 'remove', entry }) },
      ]}
    />
  ),
})

function Plan({ entry: { plan, isPaid, expiresAt } }: { entry: Entry }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {plan} {isPaid && <Badge tone="accent">{t('paid')}</Badge>}
      {expiresAt && (
        <span className="text-xs text-muted">
          {t('until')} <Moment at={expiresAt} />
        </span>
      )}
    </span>
  )
}
