import { t } from '../../lib/i18n.ts'
import type { PnlGap } from './transaction.ts'

export function pnlGapText(gap: PnlGap): string {
  if (gap === 'never') return t('The wallet was never synced, so its costs are unknown.')
  if (gap === 'history') return t('The sync of the wallet is not finished, so costs are not known yet.')
  if (gap === 'unpriced') return t('An asset that moved has no price for that time.')
  return t('The cost of the asset sold is unknown.')
}
