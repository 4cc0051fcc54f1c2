import { useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { bodyOf, type Draft, problemOf } from './draft.ts'
import { useWatchChange, type Watch } from './use-watches.ts'
import { type WatchChoices, WatchForm } from './watch-form.tsx'

const EMPTY: Draft = {
  type: 'netWorth',
  address: '',
  chain: '',
  contract: '',
  direction: 'below',
  threshold: '',
  validator: '',
}

export function AddWatchDialog({ wallets, chains, onClose }: WatchChoices & { onClose: () => void }) {
  const [written, setWritten] = useState(EMPTY)
  const draft = { ...written, chain: written.chain || (chains[0]?.key ?? '') }
  const change = useWatchChange()
  const work = useWork()
  const body = bodyOf(draft)
  const problem = problemOf(work.error, body)
  return (
    <FormDialog
      title={t('Add a watch')}
      submit={t('Add')}
      isReady={Object.values(body).every((value) => value !== '')}
      work={problem ? { ...work, error: null } : work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) => writeV1('POST', account, '/v1/watches', { body }))
        onClose()
      }}
    >
      <WatchForm draft={draft} problem={problem} wallets={wallets} chains={chains} onChange={setWritten} />
    </FormDialog>
  )
}

type RemoveWatchProps = { watch: Watch; name: string; onClose: () => void }

export function RemoveWatchDialog({ watch: { id }, name, onClose }: RemoveWatchProps) {
  const change = useWatchChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Remove {name}', { name })}
      submit={t('Remove')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) => writeV1('DELETE', account, '/v1/watches/:watchId', { params: { watchId: id } }))
        onClose()
      }}
    >
      <p className="text-sm text-muted">{t('It triggers no more events.')}</p>
    </FormDialog>
  )
}
