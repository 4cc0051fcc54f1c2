import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { ask } from '../api/ask.ts'
import { queryClient, sessionQuery } from '../api/queries.ts'
import type { SessionView } from '../api/types.ts'
import { t } from '../lib/i18n.ts'
import { passkeysWork, signWithPasskey } from '../lib/passkeys.ts'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { useWork } from './use-work.ts'

type Asked = { answer: (proved: boolean) => void }

let asked: Asked | null = null
let underWay: Promise<boolean> | null = null
const listeners = new Set<() => void>()

function setAsked(next: Asked | null): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Asks the user to prove who it is; true when it did. Calls that need the same proof wait for the same dialog. */
export function prove(): Promise<boolean> {
  underWay ??= new Promise<boolean>((resolve) => setAsked({ answer: resolve })).finally(() => {
    underWay = null
    setAsked(null)
  })
  return underWay
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The dialog that `prove` opens; it stands once, beside the router. */
export function ProofDialog() {
  const open = useSyncExternalStore(subscribe, () => asked)
  return open ? <OpenProofDialog answer={open.answer} /> : null
}

function OpenProofDialog({ answer }: Asked) {
  const user = queryClient.getQueryData<SessionView>(sessionQuery.queryKey)?.user
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const work = useWork()
  const finish = async () => {
    answer(true)
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  const byPasskey = () =>
    work.run(async () => {
      const response = await signWithPasskey(await ask('POST', '/proof/passkey-options', { body: {} }))
      await ask('POST', '/proof/passkey', { body: { response }, anonymous: true })
      await finish()
    })
  const byPassword = (event: FormEvent) => {
    event.preventDefault()
    void work.run(async () => {
      await ask('POST', '/proof/password', { body: { password, ...(code && { code }) }, anonymous: true })
      await finish()
    })
  }
  return (
    <Dialog open title={t('Prove that it is you')} onClose={() => answer(false)}>
      <p className="mb-3 text-sm text-muted">{t('This action asks for a proof that is at most ten minutes old.')}</p>
      {(user?.passkeys ?? 0) > 0 && passkeysWork() && (
        <Button look="primary" className="mb-4 w-full" busy={work.busy} onClick={() => void byPasskey()}>
          {t('Use a passkey')}
        </Button>
      )}
      {user?.hasPassword && (
        <form onSubmit={byPassword} className="grid gap-3">
          <Field label={t('Password')} error={work.error}>
            {(control) => (
              <Input
                {...control}
                type="password"
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            )}
          </Field>
          {user.hasTotp && (
            <Field label={t('Code of your authenticator app')}>
              {(control) => (
                <Input
                  {...control}
                  autoComplete="one-time-code"
                  required
                  value={code}
                  onChange={(event) => setCode(event.target.value)}
                />
              )}
            </Field>
          )}
          <Actions>
            <Button onClick={() => answer(false)}>{t('Cancel')}</Button>
            <Button type="submit" look="primary" busy={work.busy}>
              {t('Continue')}
            </Button>
          </Actions>
        </form>
      )}
      {!user?.hasPassword && work.error && (
        <p role="alert" className="text-sm text-bad">
          {work.error}
        </p>
      )}
    </Dialog>
  )
}
