import { useSearchState } from '../../lib/search.ts'
import { dayBefore } from '../../lib/time.ts'
import { dayAfter, isDay } from './periods.ts'
import { type CostMethod, METHODS, type PeriodsAsked, type PnlUnit, UNITS } from './use-pnl.ts'

type Name = 'by' | 'from' | 'last' | 'period' | 'method' | 'list'

/** Ignores invalid values in the URL. */
export function usePnlChoice(addresses: readonly string[]) {
  const [texts, put] = useSearchState<Name>()
  const by: PnlUnit = UNITS.find((unit) => unit === texts.by) ?? 'YEAR'
  const method: CostMethod | undefined = METHODS.find((one) => one === texts.method)
  const today = dayBefore(new Date(), 0)
  const [from, last] = [
    isDay(texts.from) ? texts.from : `${today.slice(0, 4)}-01-01`,
    isDay(texts.last) ? texts.last : today,
  ]
  const asked: PeriodsAsked =
    by === 'TOTAL' ? { addresses, by, from, to: dayAfter(last) } : { addresses, by, to: dayAfter(today) }
  return { by, method, from, last, isForward: from <= last, period: texts.period, list: texts.list, asked, put }
}

export type PnlChoice = ReturnType<typeof usePnlChoice>
