import { t } from '../../lib/i18n.ts'
import type { PnlGap } from './transaction.ts'

export function pnlGapText(gap: PnlGap): string {
  if (gap === 'never') return t('The wallet was never searched for transactions, so that its costs are not known.')
  if (gap === 'history')
    return t('The search for the wallet’s transactions is not at its end, so that costs are not known yet.')
  if (gap === 'unpriced') return t('Something that moved has no price of its time.')
  return t('What was sold came at an unknown cost.')
}
