import { formatAmount, formatMoney, formatPercent, formatPrice, isKnown, signOf } from '../lib/money.ts'
import { formatAge, formatMoment } from '../lib/time.ts'

type FigureProps = { value: string; className?: string }

/** A formatted figure; its title and machine-readable value are exact. */
function Figure({ value, text, className = '' }: FigureProps & { text: string }) {
  return (
    <data
      value={value}
      title={value}
      className={`whitespace-nowrap tabular-nums ${isKnown(value) ? '' : 'text-muted'} ${className}`}
    >
      {text}
    </data>
  )
}

/** USD by default. */
export function Money({ value, currency, className }: FigureProps & { currency?: string }) {
  return <Figure value={value} text={formatMoney(value, currency)} {...(className && { className })} />
}

/** Price of one unit. */
export function Price({ value, currency, className }: FigureProps & { currency?: string }) {
  return <Figure value={value} text={formatPrice(value, currency)} {...(className && { className })} />
}

/** Amount of a token. The symbol is untrusted: text, never markup. */
export function Amount({ value, symbol, className }: FigureProps & { symbol?: string }) {
  const text = symbol && isKnown(value) ? `${formatAmount(value)}\u00a0${symbol}` : formatAmount(value)
  return <Figure value={value} text={text} {...(className && { className })} />
}

export function Percent({ value, className }: FigureProps) {
  return <Figure value={value} text={formatPercent(value)} {...(className && { className })} />
}

const changes = {
  '1': { arrow: '▲', sign: '+', tone: 'text-good' },
  '0': { arrow: '', sign: '', tone: '' },
  '-1': { arrow: '▼', sign: '', tone: 'text-bad' },
} as const

/** A gain or loss, shown by arrow and sign as well as colour. */
export function Change({
  value,
  as = 'money',
  currency,
}: FigureProps & { as?: 'money' | 'percent'; currency?: string }) {
  const { arrow, sign, tone } = changes[`${signOf(value)}`]
  const text = as === 'money' ? formatMoney(value, currency) : formatPercent(value)
  return (
    <span className={`whitespace-nowrap ${tone}`}>
      {arrow && (
        <span aria-hidden className="me-1 text-[0.7em]">
          {arrow}
        </span>
      )}
      <Figure value={value} text={`${sign}${text}`} />
    </span>
  )
}

/** Local time, or age with `relative`; the title is in UTC. */
export function Moment({ at, relative = false }: { at: string | Date; relative?: boolean }) {
  const moment = typeof at === 'string' ? new Date(at) : at
  const exact = moment.toISOString()
  return (
    <time dateTime={exact} title={exact} className="whitespace-nowrap">
      {relative ? formatAge(moment, new Date()) : formatMoment(moment)}
    </time>
  )
}
