import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { accountQuery, renew, useAccount, useMay, useV1, writeV1 } from '../../api/queries.ts'
import type { KeyView } from '../../api/types.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { useWork } from '../../components/use-work.ts'
import { readAddresses } from '../../lib/addresses.ts'
import { curlOf } from '../../lib/curl.ts'
import { t } from '../../lib/i18n.ts'

/** First steps for an account without a saved address or key. */
export function Guide() {
  const { id } = useAccount()
  const isOwner = useMay('owner')
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenAt(id)) !== null)
  // Users who have begun see the last step too.
  const [isStarted, setStarted] = useState(false)
  const book = useV1('/v1/addressbook')
  const keys = useQuery(accountQuery<KeyView[]>(id, '/keys'))
  if (isHidden || !isOwner || !book.data || !keys.data) return null
  const saved = book.data.data.map(({ address }) => address)
  const hasKey = keys.data.some(({ revokedAt }) => revokedAt === null)
  const isComplete = saved.length > 0 && hasKey
  if (!(isComplete || isStarted)) setStarted(true)
  if (isComplete && !isStarted) return null
  const hide = () => {
    localStorage.setItem(hiddenAt(id), '1')
    setHidden(true)
  }
  return (
    <Card
      title={t('First steps')}
      aside={
        <Button size="sm" look="ghost" onClick={hide}>
          {t('Hide')}
        </Button>
      }
    >
      <ol className="grid gap-4 lg:grid-cols-3">
        <Step number="1" title={t('Save an address')} isDone={saved.length > 0}>
          {saved.length > 0 ? (
            <p className="text-sm text-muted">
              {t('{n, plural, one {# address is saved.} other {# addresses are saved.}}', { n: saved.length })}
            </p>
          ) : (
            <SaveAddress />
          )}
        </Step>
        <Step number="2" title={t('Create a key')} isDone={hasKey}>
          <p className="mb-2 text-sm text-muted">{t('A key lets a program call the API as this account.')}</p>
          <Link to={`/a/${id}/keys`} className={buttonClass()}>
            {t('Go to API keys')}
          </Link>
        </Step>
        <Step number="3" title={t('Call the API')} isDone={false}>
          <CallIt addresses={saved} />
        </Step>
      </ol>
    </Card>
  )
}

const hiddenAt = (account: string): string => `coffer.guide-hidden.${account}`

function Step({
  number,
  title,
  isDone,
  children,
}: {
  number: string
  title: string
  isDone: boolean
  children: ReactNode
}) {
  return (
    <li className="min-w-0">
      <h3 className="mb-2 flex items-center gap-2 text-sm font-medium">
        <span
          aria-hidden
          className={`grid size-5 place-items-center rounded-full text-xs ${isDone ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent-strong'}`}
        >
          {isDone ? '✓' : number}
        </span>
        {title}
        {isDone && <span className="text-muted">{t('done')}</span>}
      </h3>
      {children}
    </li>
  )
}

function SaveAddress() {
  const { id } = useAccount()
  const work = useWork()
  const [text, setText] = useState('')
  const [label, setLabel] = useState('')
  const { addresses, refused } = readAddresses(text)
  const [address] = addresses
  const isReady = addresses.length === 1 && refused.length === 0
  const save = async (event: FormEvent) => {
    event.preventDefault()
    await work.run(async () => {
      await writeV1('POST', id, '/v1/addressbook', { body: { entries: [{ address: address ?? '', label }] } })
      await Promise.all([renew(id, '/v1/addressbook'), renew(id, '/v1/credits')])
    })
  }
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-3">
      <Field
        label={t('Wallet address')}
        hint={t('EVM or Solana. Saving costs 1 credit.')}
        error={text.trim() !== '' && !isReady ? t('This address is not supported.') : null}
      >
        {(control) => (
          <Input
            {...control}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('Label')}>
        {(control) => (
          <Input
            {...control}
            maxLength={255}
            autoComplete="off"
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
        )}
      </Field>
      <Failure text={work.error} />
      <div>
        <Button type="submit" look="primary" busy={work.busy} disabled={!isReady}>
          {t('Save and view')}
        </Button>
      </div>
    </form>
  )
}

function CallIt({ addresses }: { addresses: readonly string[] }) {
  const curl = curlOf(addresses.length > 0 ? addresses.slice(0, 1) : [EXAMPLE], location.origin)
  return (
    <div className="grid justify-items-start gap-2">
      <code className="w-full rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all">
        {curl}
      </code>
      <CopyButton text={curl} name={t('Call the API')} />
    </div>
  )
}

/** Used while no address is saved. */
const EXAMPLE = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
