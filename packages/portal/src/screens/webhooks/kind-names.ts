import type { EventKind } from '@coffer/contract'
import { t } from '../../lib/i18n.ts'

const meanings: Readonly<Partial<Record<EventKind, () => string>>> = {
  'transaction.found': () => t('A transaction of the last seven days was found in a wallet.'),
  'approval.set': () => t('An approval was found in a newly searched block.'),
  'snapshot.taken': () => t('The snapshot of a subscribed day was taken.'),
  'snapshot.missed': () => t('A subscribed day stays without a snapshot permanently.'),
  'sync.ended': () => t('A sync finished, paused or failed.'),
  'networth.threshold': () => t('The net worth of a watched wallet crossed a threshold.'),
  'balance.threshold': () => t('A watched balance crossed a threshold.'),
  'credits.low': () => t('The credits of the account fell below the threshold of a watch.'),
  'validator.missed': () => t('A watched validator missed duties in an epoch.'),
  'validator.slashed': () => t('A watched validator was slashed.'),
  'airdrop.claimable': () => t('A watched wallet can claim a new airdrop.'),
}

/** Undefined for a kind without a text. */
export const meaningOf = (kind: EventKind): string | undefined => meanings[kind]?.()
