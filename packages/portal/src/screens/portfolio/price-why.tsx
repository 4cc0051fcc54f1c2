import { useQuery } from '@tanstack/react-query'
import { accountQuery, useAccount } from '../../api/queries.ts'
import type { PriceWhyView } from '../../api/types.ts'
import { Address } from '../../components/address.tsx'
import { BlockAt } from '../../components/as-of.tsx'
import { Badge } from '../../components/badge.tsx'
import { Amount, Money, Price } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { MissingMark } from '../../components/states.tsx'
import { type Reason, Reasons } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { formatAmount, isKnown } from '../../lib/money.ts'
import { formatSpan } from '../../lib/time.ts'
import { confidenceTone, levelName, reasonText, refusalText } from './confidence.ts'

type Way = NonNullable<PriceWhyView['used']>
type Step = Way['path'][number]

/** Outcomes of a source that answered, even if unusably. */
const REPORTED: ReadonlySet<string> = new Set(['answered', 'unknown', 'invalid'])

type AskedPrice = { chain: string; token: string; amount: string; holder: string }

/** Shows confidence, path, and answers of other sources. */
export function PriceWhy({ asked }: { asked: AskedPrice }) {
  const query = useQuery(accountQuery<PriceWhyView>(useAccount().id, '/prices/why', asked))
  return (
    <section aria-label={t('Current price')} className="mt-3 border-t border-line pt-3 text-[0.8125rem]">
      <h3 className="mb-2 font-semibold">{t('Current price')}</h3>
      <QueryView query={query} lines={4}>
        {(why) => <Reported why={why} />}
      </QueryView>
    </section>
  )
}

function Reported({ why }: { why: PriceWhyView }) {
  const { confidence, others, parts } = why
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p>
        <Badge tone={confidenceTone(confidence.level)}>{levelName(confidence.level)}</Badge>{' '}
        {reasonText(confidence.reason)}
      </p>
      {why.isPartial && <Missing why={why} />}
      <Reasons reasons={reasonsOf(why)} />
      {why.used && <Path path={why.used.path} name={t('Price path')} />}
      {parts.length > 0 && (
        <ul aria-label={t('One unit represents')} className="grid gap-1">
          {parts.map(({ token, amount, price, confidence: own }) => (
            <li key={token.address} className="flex flex-wrap justify-between gap-x-2">
              <Amount value={amount} symbol={token.symbol} />
              <span>
                <Price value={price} /> <Badge tone={confidenceTone(own.level)}>{levelName(own.level)}</Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <>
          <h4 className="text-muted">{t('Other price sources')}</h4>
          <ul aria-label={t('Other price sources')} className="grid gap-1">
            {others.map((way) => (
              <li key={`${way.source} ${way.path[0]?.address}`}>
                <OtherWay way={way} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Missing({ why }: { why: PriceWhyView }) {
  const failed = why.sources.filter(({ outcome }) => !REPORTED.has(outcome))
  const names = failed.map(({ name }) => name).join(', ')
  return (
    <p>
      <MissingMark />{' '}
      {names ? t('These sources did not answer: {names}', { names }) : t('Some of it could not be read.')}
    </p>
  )
}

function reasonsOf({ price, source, used, block, blockTime }: PriceWhyView): Reason[] {
  const isLess = used !== null && isKnown(price) && used.usd !== price
  return [
    { label: t('Price'), value: <Price value={price} /> },
    ...(isLess ? [{ label: t('Spot price'), value: <Price value={used.usd} /> }] : []),
    ...(source === null ? [] : [{ label: t('Price source'), value: source }]),
    ...(block && blockTime ? [{ label: t('Block'), value: <BlockAt block={block} timestamp={blockTime} /> }] : []),
  ]
}

function OtherWay({ way }: { way: Way }) {
  return (
    <>
      <span className="flex flex-wrap justify-between gap-x-2">
        <span className="text-muted">{way.source}</span>
        <span className="tabular-nums">
          <Price value={way.usd} />
          {isKnown(way.deviationPercent) && ` (${formatAmount(way.deviationPercent)} %)`}
        </span>
      </span>
      {way.refusal && <span className="text-muted">{refusalText(way.refusal)}</span>}
      <Path path={way.path} name={t('Path of {source}', { source: way.source })} />
    </>
  )
}

function Path({ path, name }: { path: readonly Step[]; name: string }) {
  return (
    <ol aria-label={name} className="grid gap-1 border-s border-line ps-2">
      {path.map((step) => (
        <li key={`${step.kind} ${step.address}`} className="flex flex-wrap items-center gap-x-2">
          <span>{kindName(step.kind)}</span>
          {step.address && <Address address={step.address} />}
          <span className="tabular-nums">{formatAmount(step.rate)}</span>
          <span className="text-muted">{detailOf(step)}</span>
          {step.depthUsd && (
            <span className="text-muted">
              {t('Depth')} <Money value={step.depthUsd} />
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

function kindName(kind: Step['kind']): string {
  switch (kind) {
    case 'feed':
      return t('Feed')
    case 'oracle':
      return t('Oracle')
    case 'pool':
      return t('Pool')
    case 'markets':
      return t('Markets')
    case 'listing':
      return t('Price service')
    case 'set':
      return t('Set by the operator')
  }
}

/** Age and largest age of a feed's figure, or fee of a pool. */
function detailOf({ ageSeconds, heartbeatSeconds, feePercent }: Step): string {
  if (feePercent !== null) return t('fee {percent} %', { percent: formatAmount(feePercent) })
  if (ageSeconds === null) return ''
  const age = formatSpan(ageSeconds)
  if (heartbeatSeconds === null) return t('{age} old', { age })
  return t('{age} old, at most {most}', { age, most: formatSpan(heartbeatSeconds) })
}
