import { type FormEvent, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { BalanceLine } from './balance-line.tsx'
import { type BalanceRow, cellOfRefusal, problemsOf, type RowProblems, toGiven, toRows } from './balance-rows.ts'
import { type Balances, useUserChange, type VirtualUser } from './users.ts'

type BalanceGridProps = { user: VirtualUser; saved: Balances['balances']; isOwner: boolean }

/** All balances are saved at once and count from then on. */
export function BalanceGrid({ user, saved, isOwner }: BalanceGridProps) {
  const [rows, setRows] = useState(() => toRows(saved))
  const [isTried, setTried] = useState(false)
  const { work, refused, save } = useSave(user.id)
  const put = (at: number, row: BalanceRow) => setRows(rows.toSpliced(at, 1, row))
  const problems = rows.map((row): RowProblems => ({ ...(isTried && problemsOf(row)), ...refused(row) }))
  const isChanged = JSON.stringify(toGiven(rows)) !== JSON.stringify(toGiven(toRows(saved)))
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (rows.every((row) => Object.keys(problemsOf(row)).length === 0)) void save(rows)
  }
  const add = (kind: BalanceRow['kind']) =>
    setRows([...rows, { key: crypto.randomUUID(), kind, subject: '', source: '', amount: '' }])
  return (
    <form onSubmit={send} className="grid grid-cols-[minmax(0,1fr)] gap-3" noValidate>
      <fieldset disabled={!isOwner} className="contents">
        {rows.length === 0 && <p className="text-sm text-muted">{t('No holdings.')}</p>}
        <ul className="grid gap-3 sm:gap-1.5">
          {rows.map((row, at) => (
            <BalanceLine
              key={row.key}
              row={row}
              number={at + 1}
              problems={problems[at] ?? {}}
              onChange={(changed) => put(at, changed)}
              onRemove={() => setRows(rows.toSpliced(at, 1))}
            />
          ))}
        </ul>
        {isOwner && (
          <div className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => add('symbol')}>
              {t('Add a symbol')}
            </Button>
            <Button size="sm" onClick={() => add('token')}>
              {t('Add a token of a chain')}
            </Button>
            <Button type="submit" size="sm" look="primary" disabled={!isChanged} busy={work.busy} className="ms-auto">
              {t('Save balances')}
            </Button>
          </div>
        )}
      </fieldset>
      <Failure text={work.error} />
      <p className="text-[0.8125rem] text-muted">
        {t(
          'The price of a symbol comes from fx (currencies), coingecko:ID, defillama:ID or fixed:USD. An entry that you remove is zero from now on; its past values stay.',
        )}
      </p>
    </form>
  )
}

/** Saves all rows. Keeps the service's problems with a row until the row changes. */
function useSave(id: string) {
  const change = useUserChange()
  const work = useWork()
  const [refusal, setRefusal] = useState<{ row: BalanceRow | undefined; problems: RowProblems } | null>(null)
  const refused = (row: BalanceRow): RowProblems => (refusal?.row === row ? refusal.problems : {})
  const save = (rows: readonly BalanceRow[]) =>
    work.run(async () => {
      setRefusal(null)
      try {
        const body = { balances: toGiven(rows) }
        await change(
          (account) => ask('POST', '/accounts/:account/virtual-users/:id/balances', { params: { account, id }, body }),
          id,
        )
      } catch (error) {
        const found = error instanceof Error ? cellOfRefusal(error.message) : null
        if (!found) throw error
        setRefusal({ row: rows.find((_, at) => String(at) === found.row), problems: { [found.cell]: found.text } })
      }
    })
  return { work, refused, save }
}
