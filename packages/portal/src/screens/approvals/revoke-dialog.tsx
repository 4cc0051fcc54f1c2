import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { type Allowance, revocationOf } from './allowances.ts'

/** Explains revoking and shows its transaction: Coffer has no keys and signs nothing. */
export function RevokeDialog({ allowance: { set }, onClose }: { allowance: Allowance; onClose: () => void }) {
  return (
    <Dialog open title={t('Revoke an approval')} onClose={onClose}>
      <div className="grid gap-3 text-sm">
        <p>
          {t(
            'Revoking sets the allowance to zero, so the spender can take nothing more. Tokens that it already took do not come back. An application that needs the approval asks for it again.',
          )}
        </p>
        <p>
          {t(
            'Coffer never signs. Send this transaction from the wallet itself, with its own application or a multi-signature account. It costs only the fee of the chain.',
          )}
        </p>
        <dl className="grid gap-3">
          <Line name={t('From')} text={set.from} />
          <Line name={t('To, the token')} text={set.contract} />
          <Line name={t('Value')} text="0" />
          <Line name={t('Data, approve(spender, 0)')} text={revocationOf(set.to)} />
        </dl>
      </div>
      <Actions>
        <Button onClick={onClose}>{t('Done')}</Button>
      </Actions>
    </Dialog>
  )
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div className="grid gap-1">
      <dt className="flex items-center justify-between gap-2 font-medium">
        {name}
        <CopyButton compact text={text} name={name} />
      </dt>
      <dd className="rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all">{text}</dd>
    </div>
  )
}
