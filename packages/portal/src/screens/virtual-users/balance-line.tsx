import { useId } from 'react'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n.ts'
import type { BalanceRow, Cell, RowProblems } from './balance-rows.ts'

type BalanceLineProps = {
  row: BalanceRow
  /** From 1. */
  number: number
  problems: RowProblems
  onChange: (row: BalanceRow) => void
  onRemove: () => void
}

/** Problems appear under their cell. */
export function BalanceLine({ row, number, problems, onChange, onRemove }: BalanceLineProps) {
  const names = namesOf(row.kind)
  const cell = (which: Cell) => (
    <GridCell
      name={`${names[which]}, ${t('line {number}', { number: String(number) })}`}
      placeholder={names[which]}
      isAmount={which === 'amount'}
      value={row[which]}
      problem={problems[which]}
      onChange={(value) => onChange({ ...row, [which]: value })}
    />
  )
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-1.5 sm:grid-cols-[minmax(7rem,1fr)_minmax(10rem,2fr)_minmax(9rem,1.3fr)_auto]">
      <div className="col-span-2 sm:col-span-1">{cell('subject')}</div>
      <div className="col-span-2 sm:col-span-1">{cell('source')}</div>
      {cell('amount')}
      <Button
        look="ghost"
        className="px-2"
        aria-label={t('Remove line {number}', { number: String(number) })}
        onClick={onRemove}
      >
        <svg aria-hidden viewBox="0 0 16 16" className="size-4 fill-none stroke-muted stroke-[1.6]">
          <path d="m4 4 8 8m0-8-8 8" />
        </svg>
      </Button>
    </li>
  )
}

const namesOf = (kind: BalanceRow['kind']): Record<Cell, string> => ({
  subject: kind === 'token' ? t('Chain') : t('Symbol'),
  source: kind === 'token' ? t('Contract') : t('Source of the price'),
  amount: t('Amount'),
})

type GridCellProps = {
  name: string
  placeholder: string
  isAmount: boolean
  value: string
  problem: string | undefined
  onChange: (value: string) => void
}

function GridCell({ name, placeholder, isAmount, value, problem, onChange }: GridCellProps) {
  const id = useId()
  return (
    <div className="grid content-start gap-0.5">
      <Input
        aria-label={name}
        {...(problem && { 'aria-invalid': true, 'aria-describedby': id })}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        inputMode={isAmount ? 'decimal' : 'text'}
        className={isAmount ? 'text-end tabular-nums' : ''}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem && (
        <p id={id} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}
