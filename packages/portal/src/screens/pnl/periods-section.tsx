import type { Scope } from '../../api/scope.ts'
import { shortAddress } from '../../components/address.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { type PnlChoice, usePnlChoice } from './choice.ts'
import { Computing } from './computing.tsx'
import { LotsSection } from './lots-section.tsx'
import { PeriodTable } from './period-table.tsx'
import { isDay, periodName } from './periods.ts'
import { type PnlPeriodsView, type PnlUnit, UNITS, usePeriods } from './use-pnl.ts'

const unitNames: Readonly<Record<PnlUnit, () => string>> = {
  YEAR: () => t('Years'),
  QUARTER: () => t('Quarters'),
  MONTH: () => t('Months'),
  TOTAL: () => t('Custom period'),
}

type PeriodsProps = { wallets: readonly string[]; nameOf: Scope['nameOf'] }

export function PeriodsSection({ wallets, nameOf }: PeriodsProps) {
  const choice = usePnlChoice(wallets)
  return (
    <section aria-labelledby="pnl-periods" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 id="pnl-periods" className="text-sm font-semibold">
        {t('By period and method')}
      </h2>
      <PeriodChoice choice={choice} />
      {choice.isForward && <PeriodsOf choice={choice} nameOf={nameOf} />}
    </section>
  )
}

function PeriodChoice({ choice: { by, from, last, isForward, put } }: { choice: PnlChoice }) {
  return (
    <div className="flex flex-wrap items-start gap-3">
      <div className="w-44">
        <Field label={t('Periods')}>
          {(control) => (
            <Select
              {...control}
              value={by}
              choices={UNITS.map((value) => ({ value, label: unitNames[value]() }))}
              onChoose={(value) => put({ by: value, period: '' })}
            />
          )}
        </Field>
      </div>
      {by === 'TOTAL' && (
        <>
          <DayField label={t('First day (UTC)')} value={from} onChange={(day) => put({ from: day })} />
          <DayField
            label={t('Last day (UTC)')}
            value={last}
            error={isForward ? null : t('The last day is before the first day.')}
            onChange={(day) => put({ last: day })}
          />
        </>
      )}
    </div>
  )
}

type DayFieldProps = { label: string; value: string; error?: string | null; onChange: (day: string) => void }

function DayField({ label, value, error, onChange }: DayFieldProps) {
  return (
    <div className="w-44">
      <Field label={label} error={error}>
        {(control) => (
          <Input
            {...control}
            type="date"
            value={value}
            onChange={({ target }) => isDay(target.value) && onChange(target.value)}
          />
        )}
      </Field>
    </div>
  )
}

function PeriodsOf({ choice, nameOf }: { choice: PnlChoice; nameOf: Scope['nameOf'] }) {
  const periods = usePeriods(choice.asked)
  return (
    <QueryView query={periods} lines={4}>
      {(found) => (
        <>
          <LeftOut found={found} nameOf={nameOf} />
          <Periods found={found} choice={choice} />
        </>
      )}
    </QueryView>
  )
}

function Periods({ found, choice }: { found: PnlPeriodsView; choice: PnlChoice }) {
  const { by, put, asked } = choice
  const { periods, accountMethod, computedTo } = found
  if (computedTo) return <Computing to={computedTo} />
  const chosen = periods.find(({ from }) => from === choice.period) ?? periods[0]
  if (!chosen) {
    return (
      <EmptyState title={t('No periods to show')}>
        {t('Periods begin with the first transaction of a wallet with a complete history.')}
      </EmptyState>
    )
  }
  const { from, to } = chosen
  const method = choice.method ?? accountMethod
  return (
    <>
      <PeriodTable
        periods={periods}
        unit={by}
        accountMethod={accountMethod}
        chosen={from}
        onChoose={(period) => put({ period })}
      />
      <p className="text-[0.8125rem] text-muted">
        {t(
          'Days are UTC days. Realised PnL is the sum of the sales with a known gain. Fees are expenses. No cost or proceeds include them.',
        )}
      </p>
      <LotsSection
        name={periodName(chosen, by)}
        asked={{ addresses: asked.addresses, from, to, method }}
        list={choice.list}
        put={put}
      />
    </>
  )
}

/** Wallets that are in no figure. */
type LeftOutProps = { found: Pick<PnlPeriodsView, 'withoutHistory' | 'leftOut'>; nameOf: Scope['nameOf'] }

function LeftOut({ found: { withoutHistory, leftOut }, nameOf }: LeftOutProps) {
  const nameOfWallet = (wallet: string) => nameOf(wallet) ?? shortAddress(wallet)
  const parts = leftOut.map(({ address, chain }) => `${nameOfWallet(address)} (${chain})`)
  const names = [...withoutHistory.map(nameOfWallet), ...parts].join(', ')
  if (names === '') return null
  return (
    <p className="border-s-2 border-warn ps-3 text-sm">{t('Not included (history incomplete): {names}', { names })}</p>
  )
}
