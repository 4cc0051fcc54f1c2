import { type FormEvent, useState } from 'react'
import { t } from '../lib/i18n.ts'
import { type SignedText, type Signer, signChallenge } from '../lib/wallets.ts'
import { Button } from './button.tsx'
import { CodeField, needsCode } from './code-field.tsx'
import { Failure } from './failure.tsx'
import { useWork } from './use-work.ts'

type Send = (signed: SignedText & { code?: string }) => Promise<void>

type WalletButtonsProps = {
  wallets: readonly Signer[]
  label: (name: string) => string
  /** Asks the service for the text to sign. */
  challenge: (wallet: { address: string; chainId?: string }) => Promise<{ text: string }>
  send: Send
}

/** One button per browser wallet. A signature that lacks a code is kept until the user enters the code. */
export function WalletButtons({ wallets, label, challenge, send }: WalletButtonsProps) {
  const [signed, setSigned] = useState<SignedText | null>(null)
  const work = useWork()
  const sign = (signer: Signer) =>
    work.run(async () => {
      setSigned(null)
      const answer = await signChallenge(signer, challenge)
      try {
        await send(answer)
      } catch (error) {
        if (!needsCode(error)) throw error
        setSigned(answer)
      }
    })
  return (
    <>
      {wallets.map((signer) => (
        <Button key={signer.id} busy={work.busy} onClick={() => void sign(signer)}>
          {label(signer.name)}
        </Button>
      ))}
      <Failure text={work.error} />
      {signed && <CodeForm signed={signed} send={send} />}
    </>
  )
}

function CodeForm({ signed, send }: { signed: SignedText; send: Send }) {
  const [code, setCode] = useState('')
  const work = useWork()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void work.run(() => send({ ...signed, code: code.trim() }))
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
