import { useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { AddDialog } from './add-dialog.tsx'
import { type Entry, useEntries } from './book.ts'
import { Bundles } from './bundles.tsx'
import { EntryTable } from './entry-table.tsx'
import { ProveDialog } from './prove-dialog.tsx'
import { RemoveEntryDialog } from './remove-entry-dialog.tsx'

type Open = { kind: 'add' } | { kind: 'remove' | 'prove'; entry: Entry } | null

export function Screen() {
  const isOwner = useMay('owner')
  const mayLabel = useMay('accountant')
  const [open, setOpen] = useState<Open>(null)
  const entries = useEntries()
  const close = () => setOpen(null)
  const add = (
    <Button look="primary" onClick={() => setOpen({ kind: 'add' })}>
      {t('Add addresses')}
    </Button>
  )
  return (
    <Page
      title={t('Address book')}
      lead={t('Saved wallets and bundles of wallets. Each change costs 1 credit, as with an API key.')}
      actions={isOwner && add}
    >
      <QueryView query={entries}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <EmptyState title={t('No saved addresses yet')} action={isOwner && add}>
                {t('Save addresses to label them, group them in bundles and see them on every screen.')}
              </EmptyState>
            ) : (
              <EntryTable entries={list} may={{ label: mayLabel, change: isOwner }} onOpen={setOpen} />
            )}
            {list.length > 0 && <Bundles entries={list} isOwner={isOwner} />}
          </>
        )}
      </QueryView>
      {open?.kind === 'add' && <AddDialog onClose={close} />}
      {open?.kind === 'remove' && <RemoveEntryDialog entry={open.entry} onClose={close} />}
      {open?.kind === 'prove' && <ProveDialog entry={open.entry} onClose={close} />}
    </Page>
  )
}
