import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { useSession } from '../../api/queries.ts'
import type { TotpStart } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { renewOwn } from './own.ts'

/** Second factor for the password: a code of an authenticator app. */
export function TotpCard() {
  const { user } = useSession()
  const [start, setStart] = useState<TotpStart | null>(null)
  const work = useWork()
  const begin = () => work.run(async () => setStart(await ask('POST', '/user/totp', { body: {} })))
  const remove = () =>
    work.run(async () => {
      await ask('DELETE', '/user/totp')
      await renewOwn()
    })
  return (
    <Card
      title={t('Authenticator app')}
      aside={user.hasTotp ? <Badge tone="good">{t('on')}</Badge> : <Badge>{t('off')}</Badge>}
    >
      <div className="grid justify-items-start gap-3">
        <p className="text-sm text-muted">{t('Asks for a code of six digits after the password.')}</p>
        <Failure text={work.error} />
        {user.hasTotp ? (
          <Button look="danger" busy={work.busy} onClick={() => void remove()}>
            {t('Turn off')}
          </Button>
        ) : (
          <Button busy={work.busy} onClick={() => void begin()}>
            {t('Set up')}
          </Button>
        )}
      </div>
      {start && <ConfirmDialog start={start} onClose={() => setStart(null)} />}
    </Card>
  )
}

function ConfirmDialog({ start, onClose }: { start: TotpStart; onClose: () => void }) {
  const [code, setCode] = useState('')
  const [confirmed, setConfirmed] = useState<readonly string[] | null>(null)
  const work = useWork()
  if (confirmed) return <RecoveryCodes codes={confirmed} onClose={onClose} />
  const confirm = async () => {
    const { recoveryCodes } = await ask('POST', '/user/totp/confirm', { body: { code: code.trim() } })
    setConfirmed(recoveryCodes)
    await renewOwn()
  }
  return (
    <FormDialog title={t('Authenticator app')} submit={t('Confirm')} work={work} onClose={onClose} onSubmit={confirm}>
      <p className="text-sm">
        {t('Enter this key in the app, or open it on this device, and type the code that it shows.')}
      </p>
      <div className="flex items-center justify-between gap-2 rounded-md border border-line bg-sunken p-2">
        <code className="font-mono text-[0.8125rem] break-all">{start.secret}</code>
        <CopyButton text={start.secret} name={t('Key')} />
      </div>
      <a href={start.uri} className="text-sm text-accent underline">
        {t('Open in an app on this device')}
      </a>
      <Field label={t('Code')}>
        {(control) => (
          <Input
            {...control}
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog open title={t('Recovery codes')}>
      <p className="mb-3 text-sm">
        {t('Each code replaces one code from the app. Save them now. They are shown only once.')}
      </p>
      <ul className="mb-3 grid grid-cols-2 gap-1 rounded-md border border-line bg-sunken p-3 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} name={t('Recovery codes')} />
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('I have saved them')}
        </Button>
      </Actions>
    </Dialog>
  )
}
