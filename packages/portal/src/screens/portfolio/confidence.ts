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
  'set-by-operator': t('The operator set this price.'),
  'fresh-feed': t('Direct oracle feed, updated on schedule.'),
  'sources-agree': t('Two independent sources agree within 1 %.'),
  'as-its-parts': t('Confidence of the weakest underlying asset.'),
  'deep-pool': t('One pool with a depth of at least $250,000.'),
  'oracle-without-time': t('An oracle that does not report when it was updated.'),
  'one-service': t('One price service.'),
  'sources-disagree': t('Sources differ by more than 5 %.'),
  'old-feed': t('A feed on the price path is older than its heartbeat.'),
  'thin-pool': t('A pool with a depth of less than $250,000.'),
  'unsure-service': t('The price service reports a low confidence.'),
  spam: t('The token imitates another one or advertises. Such tokens get no price.'),
  'source-failed': t('A source that may have its price could not be read.'),
  'stale-feed': t('Its feed is out of date.'),
  'no-market': t('Its pools have a depth of less than $10,000, or accept no sale of it.'),
  'strayed-pool': t('The price of its pools deviates from the average of the last half hour.'),
  unsure: t('Its sources are not reliable enough for an unlisted token.'),
  unknown: t('No source has a price for it.'),
  'not-a-token': t('There is no token at this address.'),
})

/** Explains why a source does not use a figure that it found. */
export function refusalText(refusal: Refusal): string {
  switch (refusal) {
    case 'stale':
      return t('not used: too old')
    case 'invalid':
      return t('not used: invalid answer')
    case 'thin':
      return t('not used: too little depth')
    case 'strayed':
      return t('not used: deviates from its average')
    case 'unsellable':
      return t('not used: accepts no sale')
  }
}
