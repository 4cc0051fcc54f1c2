import { t } from '../../lib/i18n.ts'
import type { MissingReason } from './cost-lines.ts'

type Words = {
  /** In a few words. */
  name: () => string
  /** The part that is left out. */
  what: () => string
  /** Makes the figures complete. */
  remedy: () => string
  /** True if a search for transactions may help. */
  isOfHistory: boolean
}

export const REASONS: Readonly<Record<MissingReason, Words>> = {
  'no-history': {
    name: () => t('Incomplete history'),
    what: () => t('A whole chain, or everything: its transactions are not all synced and priced, or it has none.'),
    remedy: () => t('Sync its transactions. A virtual user has none.'),
    isOfHistory: true,
  },
  computing: {
    name: () => t('Being computed'),
    what: () => t('Everything: the history is long, and its cost and PnL are still being computed.'),
    remedy: () => t('Open this page again in a minute.'),
    isOfHistory: false,
  },
  pruned: {
    name: () => t('Pruned history'),
    what: () => t('Sales in the oldest blocks of the chain, which its nodes have pruned.'),
    remedy: () => t('A node with all blocks, which the operator can add. Then sync again.'),
    isOfHistory: true,
  },
  'replaced-chain': {
    name: () => t('Replaced chain'),
    what: () => t('Figures include transactions that the only node of the chain no longer has.'),
    remedy: () => t('A second node, which the operator can add. Then sync again.'),
    isOfHistory: true,
  },
  'native-unsearched': {
    name: () => t('Coin not fully synced'),
    what: () =>
      t('The native coin of the chain: its nodes do not show all of its movements. Other assets are not affected.'),
    remedy: () => t('A node with traces or past states, which the operator can add. Then sync again.'),
    isOfHistory: true,
  },
  'native-unexplained': {
    name: () => t('Unexplained coin'),
    what: () =>
      t('The native coin of the chain: its balance changed without a transaction. Other assets are not affected.'),
    remedy: () => t('A node with traces may explain it. Then sync again.'),
    isOfHistory: true,
  },
  gap: {
    name: () => t('Unexplained balance'),
    what: () => t('Its holdings: the balance on chain differs from what transactions explain.'),
    remedy: () =>
      t('Its figures return once the balance has been zero. A sync from a more complete node may explain it.'),
    isOfHistory: true,
  },
  'balance-differs': {
    name: () => t('Newer than the last sync'),
    what: () => t('Its holdings: the current amount differs from the transactions synced so far.'),
    remedy: () => t('Sync transactions again.'),
    isOfHistory: true,
  },
  'unknown-cost': {
    name: () => t('Unknown cost'),
    what: () => t('Its holdings: some units came in without a price for that time.'),
    remedy: () => t('A price source for that time, which the operator can add.'),
    isOfHistory: false,
  },
  unpriced: {
    name: () => t('No price now'),
    what: () => t('Its unrealised PnL: the cost is known, but there is no current price.'),
    remedy: () => t('A source of its price, which the operator can add.'),
    isOfHistory: false,
  },
  'unknown-disposal': {
    name: () => t('Unknown sales'),
    what: () =>
      t('Some of its sales: their cost or their price is unknown. The realised PnL is the sum of the others.'),
    remedy: () => t('A price source for the time of purchase or sale, which the operator can add.'),
    isOfHistory: false,
  },
}
