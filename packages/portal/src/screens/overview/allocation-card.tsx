import { useMemo, useState } from 'react'
import type { Holding } from '../../api/holdings.ts'
import { Card } from '../../components/card.tsx'
import { Donut } from '../../components/donut.tsx'
import { Money, Percent } from '../../components/figures.tsx'
import type { Part } from '../../components/part.ts'
import { Tabs } from '../../components/tabs.tsx'
import { Treemap } from '../../components/treemap.tsx'
import { t } from '../../lib/i18n.ts'
import { byChain, byCoin, byProtocol, largest, netWorthOf, type Slice } from './allocation.ts'

/** Parts with a colour of their own. */
const SLICES = 8

type View = 'chain' | 'protocol' | 'coin'

export function AllocationCard({ holdings }: { holdings: readonly Holding[] }) {
  const [view, setView] = useState<View>('chain')
  const parts = useMemo(
    () => ({
      chain: partsOf(byChain(holdings)),
      protocol: partsOf(byProtocol(holdings)),
      coin: partsOf(byCoin(holdings)),
    }),
    [holdings],
  )
  if (parts.chain.length + parts.coin.length === 0) {
    return (
      <Card title={t('Allocation')}>{<p className="text-sm text-muted">{t('No assets with a value found.')}</p>}</Card>
    )
  }
  const middle = <Money value={netWorthOf(holdings)} className="font-medium" />
  return (
    <Card title={t('Allocation')}>
      <Tabs
        name={t('Allocation')}
        value={view}
        onChoose={setView}
        tabs={[
          {
            value: 'chain',
            label: t('Chains'),
            content: <Donut name={t('Net worth by chain')} parts={parts.chain} middle={middle} />,
          },
          {
            value: 'protocol',
            label: t('Protocols'),
            content: <Donut name={t('Net worth by protocol')} parts={parts.protocol} middle={middle} />,
          },
          { value: 'coin', label: t('Coins'), content: <Treemap name={t('Net worth by coin')} parts={parts.coin} /> },
        ]}
      />
    </Card>
  )
}

const partsOf = (slices: readonly Slice[]): Part[] =>
  largest(slices, SLICES, (n) => t('{n, plural, one {# other} other {# others}}', { n })).map(
    ({ key, label, value, share }) => ({
      key,
      label,
      value,
      text: (
        <span className="inline-flex gap-1">
          <Percent value={share} className="inline-block w-14 text-end text-muted" />
          <Money value={value} className="inline-block min-w-24 text-end" />
        </span>
      ),
    }),
  )
