import { type QuoteAsked, useQuote } from '../api/quote.ts'
import { t } from '../lib/i18n.ts'
import { formatCount } from '../lib/money.ts'
import { QueryView } from './query-view.tsx'

/** Credits that a call would cost, and credits left; `rule` explains the price. */
export function QuoteView({ asked, rule }: { asked: QuoteAsked; rule: string }) {
  const quote = useQuote(asked)
  return (
    <div className="grid gap-2 rounded-md border border-line bg-sunken px-3 py-2.5 text-sm">
      <p>{rule}</p>
      <QueryView query={quote} lines={1}>
        {({ credits, available, isEnough }) => (
          <div className="grid gap-1">
            <p className="font-medium">
              {t('{n, plural, =0 {It costs nothing now} one {It costs # credit now} other {It costs # credits now}}', {
                n: credits,
              })}
            </p>
            <p className={isEnough ? 'text-muted' : 'text-bad'}>
              {isEnough
                ? t('Credits left: {n}', { n: formatCount(available) })
                : t('Not enough credits left: {n}', { n: formatCount(available) })}
            </p>
          </div>
        )}
      </QueryView>
    </div>
  )
}
