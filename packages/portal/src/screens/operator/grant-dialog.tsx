import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { CountField, TextField } from './account-fields.tsx'
import { type Account, renewAccounts } from './queries.ts'

export function GrantDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const [amount, setAmount] = useState<number | null>(null)
  const [reference, setReference] = useState('')
  const [isRepeated, setRepeated] = useState(false)
  const work = useWork()
  if (isRepeated) return <AlreadyGiven reference={reference.trim()} onClose={onClose} />
  return (
    <FormDialog
      title={t('Give credits to {name}', { name: account.name })}
      submit={t('Give')}
      isReady={amount !== null}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        if (amount === null) return
        const body = { amount, reference: reference.trim() }
        const { granted } = await ask('POST', '/operator/accounts/:id/credits', { params: { id: account.id }, body })
        await renewAccounts()
        if (granted) onClose()
        else setRepeated(true)
      }}
    >
      <p className="text-sm text-muted">{t('It has {n} credits.', { n: formatCount(account.credits) })}</p>
      <CountField required label={t('Credits')} count={amount} onChange={setAmount} />
      <TextField
        label={t('Reference')}
        hint={t('For example an invoice number. Each reference gives credits only once.')}
        text={reference}
        onChange={setReference}
      />
    </FormDialog>
  )
}

function AlreadyGiven({ reference, onClose }: { reference: string; onClose: () => void }) {
  return (
    <Dialog open title={t('No credits given')} onClose={onClose}>
      <p className="text-sm">{t('Credits for the reference {reference} were already given.', { reference })}</p>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </Actions>
    </Dialog>
  )
}
