import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, renew, useAccount, useMay, writeV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import { shortAddress } from '../../components/address.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { QuoteView } from '../../components/quote-view.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { PATH, statusQuery } from './use-transactions.ts'

type SyncDialogProps = { wallets: readonly string[]; nameOf: Scope['nameOf']; onClose: () => void }

/** Starts the search for a wallet's transactions, its price said before. */
export function SyncDialog({ wallets, nameOf, onClose }: SyncDialogProps) {
  const account = useAccount()
  const isOwner = useMay('owner')
  const status = useQuery(statusQuery(account.id, wallets))
  const first = status.data?.find(({ sync }) => sync.state !== 'done')?.address
  const [chosen, setChosen] = useState<string | null>(null)
  const wallet = chosen ?? wallets.find((one) => one === first) ?? wallets[0] ?? ''
  const work = useWork()
  const start = async () => {
    await writeV1('POST', account.id, '/v1/sync-transactions', { body: { addresses: [wallet] } })
    await Promise.all([renew(account.id, '/v1/status'), renew(account.id, PATH), renew(account.id, '/v1/credits')])
    await queryClient.invalidateQueries({ queryKey: ['accounts', account.id, '/quote'] })
    onClose()
  }
  return (
    <FormDialog
      title={t('Search for transactions')}
      submit={t('Start the search')}
      isReady={isOwner && wallet !== ''}
      work={work}
      onClose={onClose}
      onSubmit={start}
    >
      <p className="text-sm text-muted">
        {t('Every chain of the wallet’s kind is searched, from its first block or from where the last search ended.')}
      </p>
      <Field label={t('Wallet')}>
        {(control) => (
          <Select
            {...control}
            value={wallet}
            choices={wallets.map((value) => ({ value, label: nameOf(value) ?? shortAddress(value) }))}
            onChoose={setChosen}
          />
        )}
      </Field>
      <QuoteView
        asked={{ endpoint: 'syncTransactions', addresses: [wallet] }}
        rule={t(
          '1 credit, and 1 for each started 250 new transactions. Free while a search runs, and for 10 minutes after one that ended well. Out of credits it pauses and keeps what was paid for.',
        )}
      />
      {!isOwner && <p className="text-sm text-bad">{t('Only an owner of the account can start a search.')}</p>}
    </FormDialog>
  )
}
