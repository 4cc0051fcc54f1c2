import type { SyncProgress } from '../portfolio.ts'
import type { QueueView } from './operator.ts'

/** What goes on in an account, as server-sent events: the name of each is its key here, its data JSON. */
export const EVENTS_PATH = '/portal/api/accounts/:account/events'

export type LiveEvents = {
  /** How far the sync of a wallet is: of each that runs at first, then when one changes. */
  sync: { address: string; sync: SyncProgress }
  /** A wallet was read anew on a chain, at a block. */
  read: { address: string; chain: string; block: string; readAt: string }
  /** The queues of jobs, for operators alone: at first, then when they change. */
  jobs: { queues: QueueView[] }
  /** The last one of a stream that makes room for a newer one of its session. */
  replaced: Record<string, never>
}
