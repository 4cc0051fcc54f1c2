import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, renew, useAccount, useMay, writeV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { QuoteView } from '../../components/quote-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { WalletChoice } from '../../components/wallet-choice.tsx'
import { t } from '../../lib/i18n.ts'
import { PATH, statusQuery } from './use-transactions.ts'

/** Complete, with or without gaps. */
const isSearched = ({ state }: { state: string }) => state === 'done' || state === 'done-with-gaps'

type SyncDialogProps = { wallets: readonly string[]; nameOf: Scope['nameOf']; onClose: () => void }

/** Starts the search for wallets' transactions; shows the price first. */
export function SyncDialog({ wallets, nameOf, onClose }: SyncDialogProps) {
  const account = useAccount()
  const isOwner = useMay('owner')
  const status = useQuery(statusQuery(account.id, wallets))
  const done = new Set(status.data?.flatMap(({ address, sync }) => (isSearched(sync) ? [address] : [])))
  const due = wallets.filter((wallet) => !done.has(wallet))
  const [picked, setPicked] = useState<readonly string[] | null>(null)
  const chosen = picked ?? (due.length > 0 ? due : wallets)
  const work = useWork()
  const start = async () => {
    try {
      for (const wallet of chosen) {
        await writeV1('POST', account.id, '/v1/sync-transactions', { body: { addresses: [wallet] } })
      }
    } finally {
      // If one failed, the earlier ones have started.
      await Promise.all([renew(account.id, '/v1/status'), renew(account.id, PATH), renew(account.id, '/v1/credits')])
      await queryClient.invalidateQueries({ queryKey: ['accounts', account.id, '/quote'] })
    }
    onClose()
  }
  return (
    <FormDialog
      title={t('Sync transactions')}
      submit={t('Start sync')}
      isReady={isOwner && chosen.length > 0}
      work={work}
      onClose={onClose}
      onSubmit={start}
    >
      <p className="text-sm text-muted">
        {t('The sync reads every chain of the wallet’s type, from the first block or from where the last sync ended.')}
      </p>
      <WalletChoice wallets={wallets} chosen={chosen} nameOf={nameOf} onChoose={setPicked} />
      <QuoteView
        asked={{ endpoint: 'syncTransactions', addresses: [...chosen] }}
        rule={t(
          '1 credit per wallet, plus 1 per 250 new transactions (rounded up). Free while a sync runs, and for 10 minutes after a successful sync. Without credits the sync pauses and keeps what is paid for.',
        )}
      />
      {!isOwner && <p className="text-sm text-bad">{t('Only an owner of the account can start a sync.')}</p>}
    </FormDialog>
  )
}
