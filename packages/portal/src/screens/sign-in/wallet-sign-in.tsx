import { type FormEvent, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type SignedText, type Signer, signChallenge } from '../../lib/wallets.ts'
import { CodeField, needsCode } from './code-field.tsx'

type OnSignedIn = (session: unknown) => Promise<void>

/** A button for each wallet of the browser. A signature that lacks a code is kept until the code is there. */
export function WalletSignIn({ wallets, onSignedIn }: { wallets: readonly Signer[]; onSignedIn: OnSignedIn }) {
  const [signed, setSigned] = useState<SignedText | null>(null)
  const work = useWork()
  const signIn = (signer: Signer) =>
    work.run(async () => {
      setSigned(null)
      const body = await signChallenge(signer, (wallet) =>
        ask('POST', '/sign-in/wallet-challenge', { body: wallet, anonymous: true }),
      )
      try {
        await onSignedIn(await ask('POST', '/sign-in/wallet', { body, anonymous: true }))
      } catch (error) {
        if (!needsCode(error)) throw error
        setSigned(body)
      }
    })
  return (
    <>
      {wallets.map((signer) => (
        <Button key={signer.id} busy={work.busy} onClick={() => void signIn(signer)}>
          {t('Sign in with {name}', { name: signer.name })}
        </Button>
      ))}
      <Failure text={work.error} />
      {signed && <CodeForm signed={signed} onSignedIn={onSignedIn} />}
    </>
  )
}

function CodeForm({ signed, onSignedIn }: { signed: SignedText; onSignedIn: OnSignedIn }) {
  const [code, setCode] = useState('')
  const work = useWork()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void work.run(async () => {
      const body = { ...signed, code: code.trim() }
      await onSignedIn(await ask('POST', '/sign-in/wallet', { body, anonymous: true }))
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <CodeField code={code} onChange={setCode} />
      <Failure text={work.error} />
      <Button type="submit" look="primary" busy={work.busy}>
        {t('Continue')}
      </Button>
    </form>
  )
}
