import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { useAccount } from '../../api/queries.ts'
import type { OwnAnswer } from '../../api/types.ts'
import { Address } from '../../components/address.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Moment } from '../../components/figures.tsx'
import { TextArea } from '../../components/input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { familyOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { findSigners, type Signer } from '../../lib/wallets.ts'
import { type Entry, useBookChange } from './book.ts'

type Challenge = OwnAnswer<'POST', '/accounts/:account/address-book/:address/challenge'>
type ProveProps = { entry: Entry; onClose: () => void }

/** Proves that a saved wallet is the user's by a signed text, from a browser wallet or pasted. */
export function ProveDialog({ entry, onClose }: ProveProps) {
  const { id: account } = useAccount()
  const { address, label } = entry
  const challenge = useQuery({
    queryKey: ['challenge', account, address],
    // A challenge voids the previous one, so it is made once per opening of the dialog.
    gcTime: 0,
    staleTime: 'static',
    queryFn: () =>
      ask('POST', '/accounts/:account/address-book/:address/challenge', { params: { account, address }, body: {} }),
  })
  return (
    <Dialog open title={t('Prove ownership')} onClose={onClose}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
        <Address address={address} {...(label && { label })} />
        <p className="text-muted">
          {t(
            'Sign a text with the key of this wallet. Signing moves nothing and costs nothing. An address with proved ownership cannot be removed with an API key.',
          )}
        </p>
        <QueryView query={challenge}>
          {(made) => <Signing entry={entry} challenge={made} onClose={onClose} />}
        </QueryView>
      </div>
    </Dialog>
  )
}

function Signing({ entry, challenge, onClose }: ProveProps & { challenge: Challenge }) {
  const { address } = entry
  const family = familyOf(address) === 'solana' ? 'solana' : 'evm'
  const signers = useQuery({ queryKey: ['signers', family], queryFn: () => findSigners(family), gcTime: 0 })
  const [signature, setSignature] = useState('')
  const [verifiedOn, setVerifiedOn] = useState<string | null | undefined>(undefined)
  const change = useBookChange()
  const work = useWork()
  const verify = async (signed: string) => {
    const body = { signature: signed }
    const answer = await change((account) =>
      ask('POST', '/accounts/:account/address-book/:address/signature', { params: { account, address }, body }),
    )
    setVerifiedOn(answer.verifiedOn)
  }
  if (verifiedOn !== undefined) return <Proved verifiedOn={verifiedOn} onClose={onClose} />
  return (
    <>
      <Text challenge={challenge} />
      <div className="flex flex-wrap gap-2">
        {(signers.data ?? []).map((signer: Signer) => (
          <Button
            key={signer.id}
            look="primary"
            busy={work.busy}
            onClick={() => void work.run(async () => verify(await signer.sign(address, challenge.text)))}
          >
            {t('Sign with {name}', { name: signer.name })}
          </Button>
        ))}
        {signers.data?.length === 0 && (
          <p className="text-muted">{t('This browser has no wallet for this address.')}</p>
        )}
      </div>
      <Field
        label={t('Or paste a signature')}
        hint={t('Made elsewhere, e.g. by a hardware wallet or a multi-signature account.')}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[0.8125rem]"
            value={signature}
            onChange={(event) => setSignature(event.target.value)}
          />
        )}
      </Field>
      <Failure text={work.error} />
      <Actions>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          disabled={signature.trim() === ''}
          busy={work.busy}
          onClick={() => void work.run(() => verify(signature.trim()))}
        >
          {t('Check the signature')}
        </Button>
      </Actions>
    </>
  )
}

function Text({ challenge }: { challenge: Challenge }) {
  return (
    <div className="grid gap-1">
      <div className="flex items-center justify-between gap-2">
        <span className="font-medium">{t('Text to sign')}</span>
        <CopyButton text={challenge.text} name={t('Text to sign')} />
      </div>
      <pre className="overflow-x-auto rounded-md border border-line bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
        {challenge.text}
      </pre>
      <span className="text-muted">
        {t('Ends')} <Moment relative at={challenge.expiresAt} />
      </span>
    </div>
  )
}

function Proved({ verifiedOn, onClose }: { verifiedOn: string | null; onClose: () => void }) {
  return (
    <>
      <p role="status" className="rounded-md bg-good-soft px-2.5 py-1.5 text-good">
        {verifiedOn === null
          ? t('Proved: the key of this address signed.')
          : t('Proved: the contract at this address accepted the signature on {chain}.', { chain: verifiedOn })}
      </p>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </Actions>
    </>
  )
}
