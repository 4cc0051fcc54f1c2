import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../api/ask.ts'
import { waysQuery } from '../api/issuer.ts'
import type { AskedProof } from '../api/proving.ts'
import { queryClient, sessionQuery } from '../api/queries.ts'
import type { SessionView } from '../api/types.ts'
import { t } from '../lib/i18n.ts'
import { passkeysWork, signWithPasskey } from '../lib/passkeys.ts'
import { findAllSigners } from '../lib/wallets.ts'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { IssuerButton } from './issuer-button.tsx'
import { useWork } from './use-work.ts'
import { WalletButtons } from './wallet-buttons.tsx'

/** Offers the user's proofs that work in this browser and reports the success to `answer`. */
export function ProofDialog({ answer }: AskedProof) {
  const { user, issuer, hasPasskey, wallets, areNone } = useProofWays()
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
    <Dialog open title={t('Confirm your identity')} onClose={() => answer(false)}>
      <p className="mb-3 text-sm text-muted">{t('This action requires a confirmation from the last ten minutes.')}</p>
      {hasPasskey && (
        <Button look="primary" className="mb-4 w-full" busy={work.busy} onClick={() => void byPasskey()}>
          {t('Use a passkey')}
        </Button>
      )}
      {wallets.length > 0 && (
        <div className="mb-4 grid gap-2">
          <WalletButtons
            wallets={wallets}
            label={(name) => t('Sign with {name}', { name })}
            challenge={(body) => ask('POST', '/proof/wallet-challenge', { body, anonymous: true })}
            send={async (body) => {
              await ask('POST', '/proof/wallet', { body, anonymous: true })
              await finish()
            }}
          />
        </div>
      )}
      {issuer !== null && (
        <div className="mb-4 grid gap-2">
          <IssuerButton
            label={t('Sign in with {name}', { name: issuer })}
            begin={() => ask('POST', '/sign-in/openid', { body: { isProof: true }, anonymous: true })}
            next={location.pathname + location.search}
          />
          <p className="text-xs text-muted">{t('You return here afterwards. Then repeat the action.')}</p>
        </div>
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
            <Field label={t('Code from your authenticator app')}>
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
      {areNone && (
        <p role="alert" className="text-sm text-bad">
          {t(
            'This browser cannot confirm your identity. Open the portal in a browser that has your wallet or passkey, or ask the operator for a one-time link.',
          )}
        </p>
      )}
      {!user?.hasPassword && work.error && (
        <p role="alert" className="text-sm text-bad">
          {work.error}
        </p>
      )}
    </Dialog>
  )
}

/** Returns the user's proofs that work in this browser. `areNone` stays false during the search. */
function useProofWays() {
  const user = queryClient.getQueryData<SessionView>(sessionQuery.queryKey)?.user
  const ways = useQuery(waysQuery)
  const enabled = (user?.wallets ?? 0) > 0
  const signers = useQuery({ queryKey: ['signers'], queryFn: findAllSigners, gcTime: 0, enabled })
  const wallets = signers.data ?? []
  const issuer = (user?.identities ?? 0) > 0 ? (ways.data?.openId?.name ?? null) : null
  const hasPasskey = (user?.passkeys ?? 0) > 0 && passkeysWork()
  const isKnown = !ways.isPending && !signers.isLoading
  const hasAny = user?.hasPassword || hasPasskey || issuer !== null || wallets.length > 0
  return { user, issuer, hasPasskey, wallets, areNone: isKnown && !hasAny }
}
