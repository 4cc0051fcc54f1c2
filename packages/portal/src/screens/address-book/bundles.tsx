import { useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { Address } from '../../components/address.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Failure } from '../../components/failure.tsx'
import { Menu } from '../../components/menu.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type Bundle, type Entry, titleOf, useBookChange, useBundles } from './book.ts'
import { AddMemberDialog, CreateBundleDialog, RemoveBundleDialog, RenameBundleDialog } from './bundle-dialogs.tsx'

type Open = { kind: 'create' } | { kind: 'rename' | 'add' | 'remove'; bundle: Bundle } | null

export function Bundles({ entries, isOwner }: { entries: readonly Entry[]; isOwner: boolean }) {
  const bundles = useBundles()
  const [open, setOpen] = useState<Open>(null)
  const create = <Button onClick={() => setOpen({ kind: 'create' })}>{t('Create a bundle')}</Button>
  return (
    <section aria-label={t('Bundles')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{t('Bundles')}</h2>
        {isOwner && create}
      </div>
      <QueryView query={bundles}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title={t('No bundles yet')}>
              {t('A bundle groups addresses, so you can select them together on every screen.')}
            </EmptyState>
          ) : (
            <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
              {data.map((bundle) => (
                <BundleCard key={bundle.id} bundle={bundle} entries={entries} isOwner={isOwner} onOpen={setOpen} />
              ))}
            </div>
          )
        }
      </QueryView>
      <OpenDialog open={open} entries={entries} onClose={() => setOpen(null)} />
    </section>
  )
}

function OpenDialog({ open, entries, onClose }: { open: Open; entries: readonly Entry[]; onClose: () => void }) {
  if (!open) return null
  if (open.kind === 'create') return <CreateBundleDialog entries={entries} onClose={onClose} />
  if (open.kind === 'rename') return <RenameBundleDialog bundle={open.bundle} onClose={onClose} />
  if (open.kind === 'add') return <AddMemberDialog bundle={open.bundle} entries={entries} onClose={onClose} />
  return <RemoveBundleDialog bundle={open.bundle} onClose={onClose} />
}

type BundleCardProps = {
  bundle: Bundle
  entries: readonly Entry[]
  isOwner: boolean
  onOpen: (open: Open) => void
}

function BundleCard({ bundle, entries, isOwner, onOpen }: BundleCardProps) {
  const work = useWork()
  const change = useBookChange()
  const takeOut = (address: string) =>
    work.run(() =>
      change((account) =>
        writeV1('DELETE', account, '/v1/bundles/:bundleId/addresses/:address', {
          params: { bundleId: bundle.id, address },
        }),
      ),
    )
  const menu = (
    <Menu
      name={t('Actions for {name}', { name: bundle.name })}
      actions={[
        { label: t('Add an address'), onSelect: () => onOpen({ kind: 'add', bundle }) },
        { label: t('Rename'), onSelect: () => onOpen({ kind: 'rename', bundle }) },
        { label: t('Remove'), danger: true, onSelect: () => onOpen({ kind: 'remove', bundle }) },
      ]}
    />
  )
  return (
    <Card title={bundle.name} aside={isOwner && menu}>
      <ul className="grid gap-1 text-sm">
        {bundle.addresses.map((address) => {
          const label = entries.find((entry) => entry.address === address)?.label ?? ''
          return (
            <li key={address} className="flex items-center justify-between gap-2">
              <Address address={address} {...(label && { label })} />
              {isOwner && bundle.addresses.length > 1 && (
                <Button
                  size="sm"
                  look="ghost"
                  disabled={work.busy}
                  aria-label={t('Remove {name} from {bundle}', {
                    name: titleOf({ label, address }),
                    bundle: bundle.name,
                  })}
                  onClick={() => void takeOut(address)}
                >
                  <svg aria-hidden viewBox="0 0 16 16" className="size-3.5 fill-none stroke-muted stroke-[1.6]">
                    <path d="m4 4 8 8m0-8-8 8" />
                  </svg>
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      <Failure text={work.error} />
    </Card>
  )
}
