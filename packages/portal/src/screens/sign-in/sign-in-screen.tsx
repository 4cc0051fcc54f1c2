import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { enter, safeNext } from '../../api/entering.ts'
import { useIssuerName, useNeededPublicUrl } from '../../api/issuer.ts'
import { Button } from '../../components/button.tsx'
import { CodeField, needsCode } from '../../components/code-field.tsx'
import { Entrance } from '../../components/entrance.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { IssuerButton } from '../../components/issuer-button.tsx'
import { useWork } from '../../components/use-work.ts'
import { WalletButtons } from '../../components/wallet-buttons.tsx'
import { t } from '../../lib/i18n.ts'
import { passkeysWork, signWithPasskey } from '../../lib/passkeys.ts'
import { findAllSigners } from '../../lib/wallets.ts'

export function Screen() {
  const { next } = useSearch({ strict: false }) as { next?: unknown }
  const navigate = useNavigate()
  const work = useWork()
  const { data: wallets = [] } = useQuery({ queryKey: ['signers'], queryFn: findAllSigners, gcTime: 0 })
  const issuer = useIssuerName()
  const neededUrl = useNeededPublicUrl()
  const arrive = async (session: unknown) => {
    enter(session)
    await navigate({ href: safeNext(next), replace: true })
  }
  const byPasskey = () =>
    work.run(async () => {
      const options = await ask('POST', '/sign-in/passkey-options', { body: {}, anonymous: true })
      const response = await signWithPasskey(options)
      await arrive(await ask('POST', '/sign-in/passkey', { body: { response }, anonymous: true }))
    })
  return (
    <Entrance title={t('Sign in')}>
      {neededUrl !== null && (
        <p role="alert" className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('No one can sign in at this address until the operator sets {setting} and starts the service again.', {
            setting: `COFFER_PUBLIC_URL=${neededUrl}`,
          })}
        </p>
      )}
      {passkeysWork() && (
        <>
          <Button look="primary" busy={work.busy} onClick={() => void byPasskey()}>
            {t('Sign in with a passkey')}
          </Button>
          <Failure text={work.error} />
        </>
      )}
      <WalletButtons
        wallets={wallets}
        label={(name) => t('Sign in with {name}', { name })}
        challenge={(body) => ask('POST', '/sign-in/wallet-challenge', { body, anonymous: true })}
        send={async (body) => arrive(await ask('POST', '/sign-in/wallet', { body, anonymous: true }))}
      />
      {issuer !== null && (
        <IssuerButton
          label={t('Sign in with {name}', { name: issuer })}
          begin={() => ask('POST', '/sign-in/openid', { body: {}, anonymous: true })}
          next={safeNext(next)}
        />
      )}
      {(passkeysWork() || wallets.length > 0 || issuer !== null) && (
        <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {t('or with a password')}
        </p>
      )}
      <PasswordForm onSignedIn={arrive} />
    </Entrance>
  )
}

/** Asks for the code once the service says that the user has one. */
function PasswordForm({ onSignedIn }: { onSignedIn: (session: unknown) => Promise<void> }) {
  const [asksForCode, setAsksForCode] = useState(false)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const work = useWork()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void work.run(async () => {
      const body = { name: name.trim(), password, ...(asksForCode && { code: code.trim() }) }
      try {
        await onSignedIn(await ask('POST', '/sign-in/password', { body, anonymous: true }))
      } catch (error) {
        if (asksForCode || !needsCode(error)) throw error
        setAsksForCode(true)
      }
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label={t('Name')}>
        {(control) => (
          <Input
            {...control}
            required
            autoComplete="username webauthn"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('Password')}>
        {(control) => (
          <Input
            {...control}
            required
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {asksForCode && <CodeField code={code} onChange={setCode} />}
      <Failure text={work.error} />
      <Button type="submit" look={passkeysWork() ? 'secondary' : 'primary'} busy={work.busy}>
        {t('Sign in')}
      </Button>
    </form>
  )
}
