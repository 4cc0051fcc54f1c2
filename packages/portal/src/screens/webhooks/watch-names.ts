import { t } from '../../lib/i18n.ts'
import type { Watch } from './use-watches.ts'

type Names<Key extends string> = Readonly<Record<Key, () => string>>
type GapReason = Watch['incomplete'][number]['reason']
type Direction = NonNullable<Watch['direction']>

export const typeNames: Names<Watch['type']> = {
  netWorth: () => t('Net worth'),
  balance: () => t('Balance'),
  credits: () => t('Credits'),
  validator: () => t('Validator'),
  airdrops: () => t('Airdrops'),
}

export const directionNames: Names<Direction> = {
  above: () => t('above'),
  below: () => t('below'),
}

const gapNames: Names<GapReason> = {
  unreadable: () => t('could not be read'),
  stale: () => t('out of date'),
  'not-allowed': () => t('refused by the node or by the plan'),
  'time-limit': () => t('took too long'),
  searching: () => t('still being searched'),
  'not-linked': () => t('not linked to an account'),
  'unpriced-debt': () => t('a debt without a price'),
  'no-state': () => t('state no longer kept by any node'),
  unpriced: () => t('no price now'),
  'not-found': () => t('no such validator yet'),
}

export function stateName({ type, state }: Watch): string {
  if (state === 'waiting') return t('unknown yet')
  if (state === 'clear') return t('clear')
  return type === 'validator' ? t('slashed') : t('threshold crossed')
}

/** Names a chain, a token's contract or a wallet. */
export type NameOf = (key: string) => string

/** Explains why the last check was incomplete, one line per reason. */
export const gapTexts = ({ incomplete }: Watch, nameOf: NameOf): string[] =>
  [...Map.groupBy(incomplete, ({ reason }) => reason)].map(([reason, gaps]) => {
    const places = gaps.map(({ chain, protocol, contract }) =>
      [nameOf(chain), protocol, contract && nameOf(contract)].filter(Boolean).join(' · '),
    )
    return `${gapNames[reason]()}: ${[...new Set(places)].join(', ')}`
  })

export const watchName = ({ type, address, chain, contract, validator }: Watch, nameOf: NameOf): string =>
  [
    typeNames[type](),
    ...[address ?? validator, chain, contract].flatMap((one) => (one === null ? [] : nameOf(one))),
  ].join(' · ')
