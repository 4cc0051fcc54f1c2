import type { EventKind } from '@coffer/contract'
import { t } from '../../lib/i18n.ts'

const meanings: Readonly<Partial<Record<EventKind, () => string>>> = {
  'transaction.found': () => t('A transaction of the last seven days was found in a wallet.'),
  'approval.set': () => t('An approval was found in a block that was not searched before.'),
  'snapshot.taken': () => t('A day of a subscription has its snapshot.'),
  'snapshot.missed': () => t('A day of a subscription has no snapshot, for good.'),
  'sync.ended': () => t('A search for transactions is done, paused or has failed.'),
  'networth.threshold': () => t('The net worth of a watched wallet has passed a threshold.'),
  'balance.threshold': () => t('A watched balance has passed a threshold.'),
  'credits.low': () => t('The account has fewer credits than a watch names.'),
  'validator.missed': () => t('A watched validator missed duties in an epoch.'),
  'validator.slashed': () => t('A watched validator was slashed.'),
  'airdrop.claimable': () => t('A watched wallet can claim an airdrop that it could not before.'),
}

/** Undefined for a kind without a text. */
export const meaningOf = (kind: EventKind): string | undefined => meanings[kind]?.()
