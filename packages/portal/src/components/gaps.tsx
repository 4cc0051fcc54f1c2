import type { HoldingGap } from '../api/holdings.ts'
import { t } from '../lib/i18n.ts'
import { Badge, type Tone } from './badge.tsx'
import { Card } from './card.tsx'

/** Any answer that lists missing parts. `source`: the failed source within a protocol. */
type Incomplete = {
  address: string
  incomplete: readonly (HoldingGap & { source?: string | undefined })[]
  chains: Readonly<Record<string, { name: string }>>
  assetByProtocols: Readonly<Record<string, { name: string }>>
}
/** `nameOf` is called if there are several holdings. */
type GapsProps = { holdings: readonly Incomplete[]; nameOf: (address: string) => string }
type Place = { reason: HoldingGap['reason']; place: string }

/** Missing and outdated parts, by reason. */
export function Gaps({ holdings, nameOf }: GapsProps) {
  const byReason = Map.groupBy(placesOf(holdings, nameOf), ({ reason }) => reason)
  if (byReason.size === 0) return null
  return (
    <Card title={t('Missing or old')}>
      <ul className="grid gap-3 text-sm">
        {[...byReason].map(([reason, places]) => (
          <li key={reason} className="grid gap-1">
            <span>{reasonText(reason)}</span>
            <span className="flex flex-wrap gap-1">
              {[...new Set(places.map(({ place }) => place))].map((place) => (
                <Badge key={place} tone={toneOf(reason)}>
                  {place}
                </Badge>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Returns one text per reason. */
export const gapTexts = (holding: Incomplete): string[] =>
  [
    ...Map.groupBy(
      placesOf([holding], () => ''),
      ({ reason }) => reason,
    ),
  ].map(([reason, places]) => [reasonText(reason), [...new Set(places.map(({ place }) => place))].join(', ')].join(' '))

/** Warning next to an incomplete total. */
export function IncompleteLine({ holdings }: Pick<GapsProps, 'holdings'>) {
  const reasons = new Set(holdings.flatMap(({ incomplete }) => incomplete.map(({ reason }) => reason)))
  if (reasons.size === 0) return null
  const isSearching = reasons.size === 1 && reasons.has('searching')
  return (
    <p role="status" className="w-full text-sm text-warn">
      {isSearching
        ? t('Incomplete: more tokens and positions are still searched for.')
        : t('Incomplete: some chains or protocols are missing or old; see “Missing or old”.')}
    </p>
  )
}

const placesOf = (holdings: readonly Incomplete[], nameOf: GapsProps['nameOf']): Place[] =>
  holdings.flatMap((holding) =>
    holding.incomplete.map(({ chain, protocol, source, reason }) => {
      const chainName = holding.chains[chain]?.name ?? chain
      const protocolName = protocol && (holding.assetByProtocols[protocol]?.name ?? protocol)
      const owner = holdings.length > 1 ? nameOf(holding.address) : ''
      return { reason, place: [owner, chainName, protocolName, source].filter(Boolean).join(' · ') }
    }),
  )

const toneOf = (reason: HoldingGap['reason']): Tone => (reason === 'searching' ? 'accent' : 'warn')

function reasonText(reason: HoldingGap['reason']): string {
  switch (reason) {
    case 'unreadable':
      return t('Could not be read, and is left out of the sums:')
    case 'stale':
      return t('Older than it should be, as a node failed or is behind:')
    case 'not-allowed':
      return t('Not part of the plan of this account:')
    case 'time-limit':
      return t('Took too long; it is read on behind and comes with a later look:')
    case 'searching':
      return t('Searched for what no list names, so that more may be found:')
    case 'unpriced-debt':
      return t('Owes something without a price, so that the sums are too high:')
    case 'not-linked':
      return t('Linked to no account at an exchange:')
  }
}
