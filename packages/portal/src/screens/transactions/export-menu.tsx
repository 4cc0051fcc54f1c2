import { useAccount } from '../../api/queries.ts'
import { addressOf } from '../../api/request.ts'
import { Menu } from '../../components/menu.tsx'
import { downloadFrom } from '../../lib/download.ts'
import { t } from '../../lib/i18n.ts'
import type { Filter } from './filter.ts'

/** Other programs by their import format. */
const PROGRAMS = {
  KOINLY: 'Koinly',
  COINTRACKING: 'CoinTracking',
  COINTRACKER: 'CoinTracker',
  COINLEDGER: 'CoinLedger',
  ZENLEDGER: 'ZenLedger',
  TOKENTAX: 'TokenTax',
  SUMM: 'Summ',
  TAXBIT: 'TaxBit',
  CRYPTIO: 'Cryptio',
  BLOCKPIT: 'Blockpit',
  BITWAVE: 'Bitwave',
  QUICKBOOKS: 'QuickBooks',
} as const

/** Saves everything that passes the filters, not only the loaded part, oldest first. */
export function ExportMenu({ wallets, filter }: { wallets: readonly string[]; filter: Filter }) {
  const { id: account } = useAccount()
  const save = (format: string) => {
    const { sort: _, ...narrowed } = filter
    const query = { addresses: wallets, ...narrowed, format }
    downloadFrom(addressOf('/accounts/:account/v1/transactions/export', { params: { account }, query }))
  }
  return (
    <Menu
      name={t('Export all matching transactions')}
      label={t('Export')}
      actions={[
        { label: t('CSV, one line per movement'), onSelect: () => save('COFFER') },
        { label: t('JSON Lines, one line per transaction'), onSelect: () => save('JSONL') },
        ...Object.entries(PROGRAMS).map(([format, name]) => ({
          label: t('For {name}', { name }),
          onSelect: () => save(format),
        })),
      ]}
    />
  )
}
