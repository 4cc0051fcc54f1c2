import { t } from '../lib/i18n.ts'
import { Select } from './select.tsx'

type RangeSelectProps = { ranges: readonly number[]; days: number; onChoose: (days: number) => void }

/** Chooses one of several ranges of days. */
export function RangeSelect({ ranges, days, onChoose }: RangeSelectProps) {
  const choices = ranges.map((n) => ({ value: `${n}`, label: t('{n, plural, other {Last # days}}', { n }) }))
  const choose = (value: string) => onChoose(ranges.find((n) => `${n}` === value) ?? days)
  return (
    <div className="w-40">
      <Select aria-label={t('Range')} value={`${days}`} choices={choices} onChoose={choose} />
    </div>
  )
}
