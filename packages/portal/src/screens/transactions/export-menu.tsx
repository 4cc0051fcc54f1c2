import { useState } from 'react'
import { useAccount } from '../../api/queries.ts'
import { addressOf } from '../../api/request.ts'
import { Failure } from '../../components/failure.tsx'
import { Menu } from '../../components/menu.tsx'
import { useWork } from '../../components/use-work.ts'
import { download, downloadFrom } from '../../lib/download.ts'
import { t } from '../../lib/i18n.ts'
import { transactionsToCsv, transactionsToJson } from './export.ts'
import type { Filter } from './filter.ts'
import { readAll } from './use-transactions.ts'

/** Other programs, by the format that they import. */
const PROGRAMS = {
  ...{ KOINLY: 'Koinly', COINTRACKING: 'CoinTracking', COINTRACKER: 'CoinTracker', COINLEDGER: 'CoinLedger' },
  ...{ ZENLEDGER: 'ZenLedger', TOKENTAX: 'TokenTax', SUMM: 'Summ', TAXBIT: 'TaxBit', CRYPTIO: 'Cryptio' },
  ...{ BLOCKPIT: 'Blockpit', BITWAVE: 'Bitwave', QUICKBOOKS: 'QuickBooks' },
} as const

/** Saves all that the filters leave, not only what was scrolled to. */
export function ExportMenu({ wallets, filter }: { wallets: readonly string[]; filter: Filter }) {
  const { id: account } = useAccount()
  const work = useWork()
  const [count, setCount] = useState(0)
  const save = (kind: 'csv' | 'json') =>
    void work.run(async () => {
      setCount(0)
      const all = await readAll({ account, addresses: wallets, filter }, setCount)
      if (kind === 'csv') download('transactions.csv', 'text/csv', transactionsToCsv(all))
      else download('transactions.json', 'application/json', transactionsToJson(all))
    })
  const saveFor = (format: string) => {
    const { sort: _, ...narrowed } = filter
    const query = { addresses: wallets, ...narrowed, format }
    downloadFrom(addressOf('/accounts/:account/v1/transactions/export', { params: { account }, query }))
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Failure text={work.error} />
      {work.busy ? (
        <p role="status" className="text-sm text-muted">
          {t('{n, plural, other {Reading: # so far}}', { n: count })}
        </p>
      ) : (
        <Menu
          name={t('Export all that match')}
          label={t('Export')}
          actions={[
            { label: t('As CSV, a line a movement'), onSelect: () => save('csv') },
            { label: t('As JSON'), onSelect: () => save('json') },
            ...Object.entries(PROGRAMS).map(([format, name]) => ({
              label: t('For {name}', { name }),
              onSelect: () => saveFor(format),
            })),
          ]}
        />
      )}
    </div>
  )
}
