import type { PriceWhyView } from '../../api/types.ts'
import type { Tone } from '../../components/badge.tsx'
import { t } from '../../lib/i18n.ts'

type Confidence = PriceWhyView['confidence']
type Refusal = NonNullable<NonNullable<PriceWhyView['used']>['refusal']>

const TONES = { high: 'good', medium: 'accent', low: 'warn', none: 'bad' } as const

export const confidenceTone = (level: Confidence['level']): Tone => TONES[level]

export function levelName(level: Confidence['level']): string {
  switch (level) {
    case 'high':
      return t('High confidence')
    case 'medium':
      return t('Medium confidence')
    case 'low':
      return t('Low confidence')
    case 'none':
      return t('No price')
  }
}

export const reasonText = (reason: Confidence['reason']): string => reasonTexts()[reason]

const reasonTexts = (): Record<Confidence['reason'], string> => ({
  'set-by-operator': t('The operator has set it.'),
  'fresh-feed': t('A feed of the token itself is within its heartbeat.'),
  'sources-agree': t('Two independent sources agree within 1 %.'),
  'as-its-parts': t('As sure as the least sure of what it stands for.'),
  'deep-pool': t('One pool with at least $250,000 behind its price.'),
  'oracle-without-time': t('An oracle that does not tell when it was updated.'),
  'one-service': t('One price service.'),
  'sources-disagree': t('Sources are more than 5 % apart.'),
  'old-feed': t('A feed on its path is older than its heartbeat.'),
  'thin-pool': t('A pool with less than $250,000 behind its price.'),
  'unsure-service': t('The price service itself is not sure.'),
  spam: t('It imitates another token or advertises; it is never priced.'),
  'source-failed': t('A source that may know it could not be read.'),
  'stale-feed': t('Its feed is too old to be used.'),
  'no-market': t('Its pools have less than $10,000 behind their price, or take no sale of it.'),
  'strayed-pool': t('The price of its pools has left the mean of the last half hour.'),
  unsure: t('Its sources are not sure enough for a token on no list.'),
  unknown: t('No source knows it.'),
  'not-a-token': t('There is no token at this address.'),
})

/** Explains why a source does not use a figure that it found. */
export function refusalText(refusal: Refusal): string {
  switch (refusal) {
    case 'stale':
      return t('not used: too old')
    case 'invalid':
      return t('not used: its answer is not valid')
    case 'thin':
      return t('not used: too little behind it')
    case 'strayed':
      return t('not used: it has left its mean')
    case 'unsellable':
      return t('not used: it takes no sale')
  }
}
