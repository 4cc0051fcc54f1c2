import { useV1 } from '../../api/queries.ts'
import { Moment, Money } from '../../components/figures.tsx'
import { Gaps } from '../../components/gaps.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker } from '../../components/scope-picker.tsx'
import { EmptyState } from '../../components/states.tsx'
import { WalletView } from '../../components/wallet-view.tsx'
import { t } from '../../lib/i18n.ts'
import { DropTable } from './drop-table.tsx'
import { type Airdrops, claimableNow, dropsOf } from './drops.ts'

export function Screen() {
  return (
    <Page
      title={t('Airdrops')}
      lead={t('Airdrops that a Solana wallet can claim, now or later.')}
      actions={<ScopePicker />}
    >
      <WalletView family="solana">{(wallet) => <WalletAirdrops wallet={wallet} />}</WalletView>
    </Page>
  )
}

function WalletAirdrops({ wallet }: { wallet: string }) {
  const airdrops = useV1('/v1/airdrop', { query: { addresses: wallet } })
  return (
    <QueryView query={airdrops}>
      {(answer) => answer.map((one) => <OneWallet key={one.address} airdrops={one} />)}
    </QueryView>
  )
}

function OneWallet({ airdrops }: { airdrops: Airdrops }) {
  const drops = dropsOf(airdrops)
  const later = drops.filter(({ claim }) => claim !== 'now')
  const { worth, unpriced } = claimableNow(airdrops.networth, drops)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <p>
          <span className="block text-xs text-muted">{t('Claimable now')}</span>
          <Money value={worth} className="text-2xl font-semibold" />
        </p>
        {unpriced > 0 && (
          <p className="text-sm text-warn">
            {t(
              '{n, plural, one {# part has} other {# parts have}} no price and {n, plural, one {is} other {are}} not in this total.',
              {
                n: unpriced,
              },
            )}
          </p>
        )}
        {later.length > 0 && (
          <p className="text-sm text-muted">
            {t(
              '{n, plural, one {# part comes} other {# parts come}} later and {n, plural, one {is} other {are}} not in this total.',
              {
                n: later.length,
              },
            )}
          </p>
        )}
        <AsOf asOf={airdrops.asOf} />
      </div>
      <Gaps holdings={[airdrops]} nameOf={() => ''} />
      {drops.length === 0 ? (
        <EmptyState title={t('Nothing to claim')}>{t('Claimed and expired airdrops are not listed.')}</EmptyState>
      ) : (
        <DropTable drops={drops} asOf={airdrops.asOf} />
      )}
    </div>
  )
}

function AsOf({ asOf }: Pick<Airdrops, 'asOf'>) {
  return Object.entries(asOf).map(([chain, { block, timestamp }]) => (
    <p key={chain} className="text-xs text-muted">
      {t('As of block {block}', { block })}, <Moment at={timestamp} />
    </p>
  ))
}
