import { useMemo, useState } from 'react'
import { ask } from '../../api/ask.ts'
import type { OwnAnswer } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Moment } from '../../components/figures.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'

type Violation = OwnAnswer<'POST', '/operator/credits/verify'>['violations'][number]
type Check = { violations: readonly Violation[]; at: Date }

/** Verifies the credit ledger on request only: it reads all of it. */
export function LedgerPanel() {
  const [check, setCheck] = useState<Check | null>(null)
  const work = useWork()
  const verify = () =>
    work.run(async () => {
      const { violations } = await ask('POST', '/operator/credits/verify', { body: {} })
      setCheck({ violations, at: new Date() })
    })
  return (
    <Card title={t('Credit ledger')}>
      <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-3">
        <p className="text-sm text-muted">
          {t('Checks every rule of the ledger. The check reads all entries of all accounts.')}
        </p>
        <Button busy={work.busy} onClick={() => void verify()}>
          {t('Check the ledger')}
        </Button>
        <Failure text={work.error} />
        <div aria-live="polite" className="w-full">
          {check && <Verdict check={check} />}
        </div>
      </div>
    </Card>
  )
}

function Verdict({ check: { violations, at } }: { check: Check }) {
  const columns = useMemo(columnsOf, [])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className={`text-sm font-medium ${violations.length === 0 ? 'text-good' : 'text-bad'}`}>
        {violations.length === 0
          ? t('The ledger is consistent.')
          : t('{n, plural, one {# rule is broken} other {# rules are broken}}', { n: violations.length })}{' '}
        <span className="font-normal text-muted">
          <Moment at={at} />
        </span>
      </p>
      {violations.length > 0 && (
        <DataTable
          name={t('Credit ledger')}
          rows={violations}
          columns={columns}
          rowKey={({ invariant, subject }) => `${invariant} ${subject}`}
        />
      )}
    </div>
  )
}

const columnsOf = (): Column<Violation>[] => [
  { id: 'rule', header: t('Rule'), cell: ({ invariant }) => invariant },
  { id: 'subject', header: t('Where'), cell: ({ subject }) => subject },
  { id: 'detail', header: t('Details'), cell: ({ detail }) => <span className="whitespace-normal">{detail}</span> },
]
