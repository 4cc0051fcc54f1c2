import type { Holding } from '../api/holdings.ts'
import { t } from '../lib/i18n.ts'
import { fromUnixMillis } from '../lib/time.ts'
import { Moment } from './figures.tsx'
import { StaleMark } from './states.tsx'
import { type Reason, Why } from './why.tsx'

type AsOfProps = { holdings: readonly Holding[]; nameOf: (address: string) => string; isPast?: boolean }

/** Age of the oldest read, or time of the oldest past block; a button shows each chain's block. */
export function AsOf({ holdings, nameOf, isPast = false }: AsOfProps) {
  const reads = holdings.map(({ lastUpdated }) => fromUnixMillis(lastUpdated)).filter((moment) => moment !== null)
  const [oldest] = reads.sort((a, b) => a.getTime() - b.getTime())
  if (!oldest) return null
  const isStale = holdings.some(({ incomplete }) => incomplete.some(({ reason }) => reason === 'stale'))
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 text-sm text-muted">
      {isPast ? t('State of') : t('Read')} <Moment relative={!isPast} at={oldest} />
      {isStale && <StaleMark title={t('Some figures are out of date: a node failed or is lagging.')} />}
      <Why figure={t('Blocks read')} reasons={blockReasons(holdings, nameOf)} />
    </span>
  )
}

function blockReasons(holdings: readonly Holding[], nameOf: AsOfProps['nameOf']): Reason[] {
  return holdings.flatMap((holding) =>
    Object.entries(holding.asOf).map(([chain, { block, timestamp }]) => {
      const name = holding.chains[chain]?.name ?? chain
      return {
        label: holdings.length > 1 ? `${nameOf(holding.address)} · ${name}` : name,
        value: <BlockAt block={block} timestamp={timestamp} />,
      }
    }),
  )
}

export function BlockAt({ block, timestamp }: { block: string; timestamp: string }) {
  return (
    <>
      {block}
      <br />
      <Moment at={timestamp} />
    </>
  )
}
