import { amountOf, isPriced, type Priced, worthOf } from '../lib/assets.ts'
import { t } from '../lib/i18n.ts'
import { signOf } from '../lib/money.ts'
import { Badge } from './badge.tsx'
import { Amount, Money } from './figures.tsx'

/** Value in USD: a debt is negative and red; "no price" if unpriced. */
export function Worth({ asset }: { asset: Priced }) {
  if (!isPriced(asset)) return <Badge>{t('no price')}</Badge>
  const value = worthOf(asset)
  return <Money value={value} {...(signOf(value) < 0 && { className: 'text-bad' })} />
}

type HeldAmountProps = { asset: { balance: string } & Pick<Priced, 'side'>; symbol?: string; className?: string }

/** Token units: a debt is negative and red. */
export function HeldAmount({ asset, symbol, className = '' }: HeldAmountProps) {
  const tone = asset.side === 'borrow' ? 'text-bad' : ''
  return <Amount value={amountOf(asset)} {...(symbol && { symbol })} className={`${className} ${tone}`} />
}
