import { Suspense, useId } from 'react'
import { shortAddress } from '../../components/address.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Change, Moment, Money } from '../../components/figures.tsx'
import { MissingMark, Skeleton } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { lazyPart } from '../../lib/parts.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import { pnlGapText } from './pnl-gap-text.ts'
import { sentenceOf } from './sentence.ts'
import { pnlGap, pricedPart, type Sync, type Transaction, totalOf } from './transaction.ts'
import { typeName } from './type-names.ts'

const TransactionDetails = lazyPart(() => import('./transaction-details.tsx'), 'TransactionDetails')

type TransactionLineProps = {
  transaction: Transaction
  syncs: readonly Sync[]
  nameOf: ((address: string) => string | undefined) | null
  isOpen: boolean
  onToggle: () => void
}

export function TransactionLine({ transaction: one, syncs, nameOf, isOpen, onToggle }: TransactionLineProps) {
  const id = useId()
  const at = fromUnixSeconds(one.timestamp)
  return (
    <article>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className="grid w-full grid-cols-[1rem_minmax(0,1fr)] items-start gap-x-2 px-3 py-2 text-start text-sm hover:bg-sunken/60 md:grid-cols-[1rem_minmax(0,1fr)_8rem_8rem] md:items-center"
      >
        <svg
          aria-hidden
          viewBox="0 0 16 16"
          className={`mt-0.5 size-3.5 fill-none stroke-muted stroke-[1.6] ${isOpen ? 'rotate-90' : ''}`}
        >
          <path d="m6 4 4 4-4 4" />
        </svg>
        <span className="grid min-w-0 gap-0.5">
          <span className="line-clamp-2 md:line-clamp-1">{sentenceOf(one)}</span>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-[0.8125rem] text-muted">
            <Badge tone={toneOf(one)}>{typeName(one.type)}</Badge>
            {one.confirmed === 'FAILED' && one.type !== 'FAILED' && <Badge tone="bad">{t('failed')}</Badge>}
            {at && <Moment at={at} />}
            <span>{one.chain.name}</span>
            {nameOf && <span className="max-w-48 truncate">{nameOf(one.address) ?? shortAddress(one.address)}</span>}
          </span>
        </span>
        <span className="col-start-2 flex flex-wrap gap-x-4 gap-y-0.5 md:contents">
          <LineFigure label={t('Value')}>
            <Money value={totalOf(one)} />
            {pricedPart(one) === 'some' && <MissingMark title={t('Part of it has no price.')} />}
          </LineFigure>
          <LineFigure label={t('Realised PnL')}>
            <Pnl one={one} syncs={syncs} />
          </LineFigure>
        </span>
      </button>
      <div id={id}>
        {isOpen && (
          <Suspense fallback={<Skeleton lines={4} />}>
            <TransactionDetails transaction={one} syncs={syncs} />
          </Suspense>
        )}
      </div>
    </article>
  )
}

function LineFigure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5 md:flex-col md:items-end">
      <span className="text-xs text-muted">{label}</span>
      <span className="flex flex-wrap items-center justify-end gap-1">{children}</span>
    </span>
  )
}

function Pnl({ one, syncs }: { one: Transaction; syncs: readonly Sync[] }) {
  const gap = pnlGap(one, syncs)
  return gap === null ? (
    <Change value={one.closedPnl} />
  ) : (
    <span title={pnlGapText(gap)}>
      <Change value={one.closedPnl} />
    </span>
  )
}

function toneOf({ type, confirmed }: Transaction): Tone {
  if (confirmed === 'FAILED') return 'bad'
  if (type === 'SPAM') return 'warn'
  return type === 'APPROVAL' ? 'neutral' : 'accent'
}
