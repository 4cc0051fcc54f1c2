import type { SNAPSHOT_YEAR_CREDITS } from '@coffer/contract'
import { useState } from 'react'
import { queryClient, renew, useAccount, writeV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import { SERIES } from '../../api/series.ts'
import type { V1Answer } from '../../api/types.ts'
import { Address } from '../../components/address.tsx'
import { Button } from '../../components/button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Moment } from '../../components/figures.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { QuoteView } from '../../components/quote-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { WalletChoice } from '../../components/wallet-choice.tsx'
import { t } from '../../lib/i18n.ts'

/** The contract exports only types: another price there is a type error here. */
const YEAR_CREDITS: typeof SNAPSHOT_YEAR_CREDITS = 1_200
const DESCRIPTION_MAX = 255

type Subscriptions = V1Answer<'POST', '/v1/subscribe-snapshot'>['subscriptions']
type SubscribeDialogProps = { wallets: readonly string[]; nameOf: Scope['nameOf']; onClose: () => void }

/** Subscribes wallets to daily snapshots for a year; shows the price first. */
export function SubscribeDialog({ wallets, nameOf, onClose }: SubscribeDialogProps) {
  const account = useAccount()
  const [chosen, setChosen] = useState(wallets)
  const [description, setDescription] = useState('')
  const [made, setMade] = useState<Subscriptions | null>(null)
  const work = useWork()
  const subscribe = async () => {
    const text = description.trim() || null
    const body = { addresses: chosen.map((address) => ({ address, description: text })) }
    const { subscriptions } = await writeV1('POST', account.id, '/v1/subscribe-snapshot', { body })
    setMade(subscriptions)
    await Promise.all([renew(account.id, SERIES), renew(account.id, '/v1/credits')])
    await queryClient.invalidateQueries({ queryKey: ['accounts', account.id, '/quote'] })
  }
  if (made) return <Subscribed subscriptions={made} nameOf={nameOf} onClose={onClose} />
  return (
    <FormDialog
      title={t('Subscribe to daily snapshots')}
      submit={t('Subscribe for a year')}
      isReady={chosen.length > 0}
      work={work}
      onClose={onClose}
      onSubmit={subscribe}
    >
      <p className="text-sm text-muted">
        {t('The first snapshot is taken immediately, the others at 00:00 UTC of each day for a year.')}
      </p>
      <WalletChoice wallets={wallets} chosen={chosen} nameOf={nameOf} onChoose={setChosen} />
      <Field label={t('Description')} hint={t('Optional: the purpose of the snapshots.')}>
        {(control) => (
          <Input
            {...control}
            maxLength={DESCRIPTION_MAX}
            autoComplete="off"
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <Price chosen={chosen} />
    </FormDialog>
  )
}

function Price({ chosen }: { chosen: readonly string[] }) {
  const rule = t(
    '{n, plural, other {# credits per wallet and year. A wallet with an active subscription costs nothing.}}',
    {
      n: YEAR_CREDITS,
    },
  )
  if (chosen.length === 0) return <p className="rounded-md border border-line bg-sunken px-3 py-2.5 text-sm">{rule}</p>
  return <QuoteView asked={{ endpoint: 'subscribeSnapshot', addresses: [...chosen] }} rule={rule} />
}

type SubscribedProps = { subscriptions: Subscriptions; nameOf: Scope['nameOf']; onClose: () => void }

function Subscribed({ subscriptions, nameOf, onClose }: SubscribedProps) {
  return (
    <Dialog open title={t('Subscribed')} onClose={onClose}>
      <ul className="grid gap-2 text-sm">
        {subscriptions.map(({ address, expiresAt, credits }) => {
          const label = nameOf(address)
          return (
            <li key={address} className="flex flex-wrap items-center justify-between gap-x-3">
              <Address address={address} {...(label && { label })} />
              <span>
                {t('until')} <Moment at={expiresAt} />
              </span>
              <span className="text-muted">{t('{n, plural, one {# credit} other {# credits}}', { n: credits })}</span>
            </li>
          )
        })}
      </ul>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </Actions>
    </Dialog>
  )
}
