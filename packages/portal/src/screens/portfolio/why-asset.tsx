import { type HeldAsset, type Holding, isVirtual } from '../../api/holdings.ts'
import { Address } from '../../components/address.tsx'
import { BlockAt } from '../../components/as-of.tsx'
import { type Reason, Why } from '../../components/why.tsx'
import { symbolOf } from '../../lib/assets.ts'
import { toBaseUnits } from '../../lib/decimals.ts'
import { t } from '../../lib/i18n.ts'
import { isKnown } from '../../lib/money.ts'
import { PriceWhy } from './price-why.tsx'

type WhyAssetProps = {
  holding: Holding
  asset: HeldAsset
  /** Location, from the address inwards. */
  path: readonly string[]
}

export function WhyAsset({ holding, asset, path }: WhyAssetProps) {
  const at = holding.asOf[asset.chain]
  const units = toBaseUnits(asset.balance, asset.decimal)
  const reasons: Reason[] = [
    { label: t('Amount'), value: asset.balance },
    { label: t('Base units'), value: units },
    { label: t('Decimals'), value: asset.decimal },
    { label: t('Price'), value: asset.priceSource === null ? t('N/A: no price') : asset.price },
    ...(asset.priceSource === null ? [] : [{ label: t('Price source'), value: asset.priceSource }]),
    { label: t('Value'), value: asset.value },
    { label: t('Cost'), value: pnlText(asset.totalCostBasis, asset) },
    { label: t('Unrealised gain'), value: pnlText(asset.openPnl, asset) },
    { label: t('Chain'), value: holding.chains[asset.chain]?.name ?? asset.chain },
    ...(at ? [{ label: t('Block'), value: <BlockAt {...at} /> }] : []),
    ...(asset.contract ? [{ label: t('Contract'), value: <Address address={asset.contract} /> }] : []),
    { label: t('Where'), value: path.join(' › ') },
  ]
  return (
    <Why figure={t('Value of {symbol}', { symbol: symbolOf(asset) })} reasons={reasons}>
      {asset.contract && !isVirtual(holding) && (
        <PriceWhy
          asked={{
            chain: asset.chain,
            token: asset.contract,
            holder: holding.address,
            // Some answers give a debt a negative sign.
            amount: asset.balance.replace(/^-/, ''),
          }}
        />
      )}
    </Why>
  )
}

function pnlText(figure: string, { pnlReason: reason }: HeldAsset): string {
  if (isKnown(figure)) return figure
  return reason ? `N/A: ${pnlReasonText(reason)}` : 'N/A'
}

function pnlReasonText(reason: NonNullable<HeldAsset['pnlReason']>): string {
  switch (reason) {
    case 'no-history':
      return t('its transactions are not all synced and priced')
    case 'computing':
      return t('its long history is still being computed')
    case 'pruned':
      return t('the nodes have pruned part of its history')
    case 'replaced-chain':
      return t('the only node serves a chain without some of its transactions')
    case 'native-unsearched':
      return t('its nodes do not show every movement of the coin')
    case 'native-unexplained':
      return t('the balance of the coin changed without a transaction')
    case 'gap':
      return t('the balance on chain differs from what transactions explain')
    case 'balance-differs':
      return t('the amount held differs from the synced transactions')
    case 'unknown-cost':
      return t('some of it came in without a price')
    case 'unpriced':
      return t('it has no price')
    case 'unknown-disposal':
      return t('some of it was sold for an unknown price')
    case 'not-told':
      return t('it is reported for the position as a whole')
    case 'nothing-held':
      return t('there are no holdings')
  }
}
