import type { EventKind } from '@coffer/contract'
import { t } from '../../lib/i18n.ts'

const meanings: Readonly<Partial<Record<EventKind, () => string>>> = {
  'transaction.found': () => t('A transaction of the last seven days was found in a wallet.'),
  'approval.set': () => t('An approval was found in a block that was not searched before.'),
  'snapshot.taken': () => t('A day of a subscription has its snapshot.'),
  'snapshot.missed': () => t('A day of a subscription has no snapshot, for good.'),
  'sync.ended': () => t('A search for transactions is done, paused or has failed.'),
}

/** What events of a kind tell; undefined for a kind that has no text here. */
export const meaningOf = (kind: EventKind): string | undefined => meanings[kind]?.()
