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
    <Card title={t('Data issues')}>
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
        ? t('Incomplete: still looking for more tokens and positions.')
        : t('Incomplete: some chains or protocols are missing or out of date. See “Data issues”.')}
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
      return t('Could not be read; not included in the totals:')
    case 'stale':
      return t('Out of date (a node failed or is lagging):')
    case 'not-allowed':
      return t('Not included in the plan of this account:')
    case 'time-limit':
      return t('Timed out; loading continues in the background. Refresh later:')
    case 'searching':
      return t('Still looking for unlisted tokens and positions:')
    case 'unpriced-debt':
      return t('Has a debt without a price, so the totals are too high:')
    case 'not-linked':
      return t('Not linked to an exchange account:')
    case 'no-state':
      return t('No node has the state of that block; not included in the totals:')
  }
}
