import type { V1Answer } from '../../api/types.ts'
import { Address } from '../../components/address.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { FactLine } from '../../components/fact.tsx'
import { Moment } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import { Ether } from './ether.tsx'

export type ValidatorDetails = V1Answer<'GET', '/v1/beacon/validators/details/index/:index'>
type Status = ValidatorDetails['validator']['status']

export function DetailsCard({ details }: { details: ValidatorDetails }) {
  const { validator, lifecycle, balance, withdrawalCredentials: credentials } = details
  return (
    <Card
      title={t('Validator {index}', { index: validator.index })}
      aside={
        <span className="flex gap-1.5">
          {validator.slashed && <Badge tone="bad">{t('slashed')}</Badge>}
          <Badge tone={toneOf(validator.status)}>{statusText(validator.status)}</Badge>
        </span>
      }
    >
      <dl className="grid gap-x-8 [--fact-name:8rem] gap-y-2 text-sm sm:grid-cols-2 lg:grid-cols-3">
        <FactLine name={t('Balance')}>
          <Ether wei={balance.actual} />
        </FactLine>
        <FactLine name={t('Effective balance')}>
          <Ether wei={balance.effective} />
        </FactLine>
        <FactLine name={t('Public key')}>
          <Address address={validator.pubkey} />
        </FactLine>
        <FactLine name={t('Activated')}>
          <Reached epoch={lifecycle.activationEpoch} at={lifecycle.activationTimestamp} />
        </FactLine>
        <FactLine name={t('Exited')}>
          <Reached epoch={lifecycle.exitEpoch} />
        </FactLine>
        <FactLine name={t('Withdrawable')}>
          <Reached epoch={lifecycle.withdrawableEpoch} />
        </FactLine>
        <FactLine name={t('Withdrawals go to')}>
          {credentials.address ? (
            <Address address={credentials.address} />
          ) : (
            <Address address={credentials.credential} />
          )}
        </FactLine>
        <FactLine name={t('Credentials')}>{credentialsText(credentials.prefix)}</FactLine>
      </dl>
    </Card>
  )
}

function Reached({ epoch, at }: { epoch: string | null; at?: string | null }) {
  if (epoch === null) return <span className="text-muted">{t('not yet')}</span>
  const moment = at ? fromUnixSeconds(at) : null
  return (
    <span>
      {t('epoch {epoch}', { epoch })}
      {moment && (
        <>
          , <Moment at={moment} />
        </>
      )}
    </span>
  )
}

function toneOf(status: Status): Tone {
  if (status === 'active_ongoing') return 'good'
  if (status.endsWith('slashed') && status !== 'exited_unslashed') return 'bad'
  return status === 'active_exiting' || status === 'pending' ? 'warn' : 'neutral'
}

function statusText(status: Status): string {
  const texts: Record<Status, string> = {
    pending: t('pending activation'),
    active_ongoing: t('active'),
    active_exiting: t('active, exiting'),
    active_slashed: t('active, slashed'),
    exited_unslashed: t('exited'),
    exited_slashed: t('exited, slashed'),
    withdrawal_possible: t('withdrawal possible'),
    withdrawal_done: t('withdrawn'),
  }
  return texts[status]
}

function credentialsText(prefix: string): string {
  if (prefix === '0') return t('BLS key: no withdrawals until they are changed')
  if (prefix === '1') return t('0x01: the balance above 32 ETH is paid out')
  return prefix === '2' ? t('0x02: compounding up to 2048 ETH') : t('of type {prefix}', { prefix })
}
