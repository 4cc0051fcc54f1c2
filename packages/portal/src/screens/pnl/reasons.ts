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
    name: () => t('No whole history'),
    what: () =>
      t('All of a chain, or everything: its transactions are not all searched and priced, or there are none.'),
    remedy: () => t('Search for its transactions. A virtual user has none.'),
    isOfHistory: true,
  },
  pruned: {
    name: () => t('Dropped history'),
    what: () => t('Sales in the oldest blocks of the chain, which its nodes have dropped.'),
    remedy: () => t('A node with all blocks, which the operator can add; then search again.'),
    isOfHistory: true,
  },
  'replaced-chain': {
    name: () => t('Replaced chain'),
    what: () => t('Figures include transactions that the only node of the chain no longer has.'),
    remedy: () => t('A second node, which the operator can add; then search again.'),
    isOfHistory: true,
  },
  'native-unsearched': {
    name: () => t('Coin not fully searched'),
    what: () => t('The chain’s own coin: its nodes do not show all that moved it. Other assets are not concerned.'),
    remedy: () => t('A node with traces or past states, which the operator can add; then search again.'),
    isOfHistory: true,
  },
  'native-unexplained': {
    name: () => t('Unexplained coin'),
    what: () => t('The chain’s own coin: its balance changed without a transaction. Other assets are not concerned.'),
    remedy: () => t('A node with traces may explain it; then search again.'),
    isOfHistory: true,
  },
  gap: {
    name: () => t('Unexplained balance'),
    what: () => t('What is held of it: the chain’s balance differs from what transactions explain.'),
    remedy: () => t('Its figures come back once the balance has been zero. A search on a fuller node may explain it.'),
    isOfHistory: true,
  },
  'balance-differs': {
    name: () => t('Newer than the history'),
    what: () => t('What is held of it: more or less is held now than the transactions searched so far tell.'),
    remedy: () => t('Search for transactions again.'),
    isOfHistory: true,
  },
  'unknown-cost': {
    name: () => t('Unknown cost'),
    what: () => t('What is held of it: something came in without a price of its time.'),
    remedy: () => t('A source of prices for that time; the operator can add one.'),
    isOfHistory: false,
  },
  unpriced: {
    name: () => t('No price now'),
    what: () => t('Its open PnL: the cost is known, but nothing prices it now.'),
    remedy: () => t('A source of its price; the operator can add one.'),
    isOfHistory: false,
  },
  'unknown-disposal': {
    name: () => t('Unknown sales'),
    what: () =>
      t('Some of its sales: their cost or their price is not known. The realised PnL is the sum of the others.'),
    remedy: () => t('A source of prices for the time of purchase or sale; the operator can add one.'),
    isOfHistory: false,
  },
}
