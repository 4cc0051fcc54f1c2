import type { SyncProgress } from '../portfolio.ts'
import type { QueueView } from './operator.ts'

/** Server-sent events: the name of each is its key in `LiveEvents`, its data JSON. */
export const EVENTS_PATH = '/portal/api/accounts/:account/events'

export type LiveEvents = {
  /** Each running sync at first, then each change. */
  sync: { address: string; sync: SyncProgress }
  /** A new read of a wallet on a chain, at a block. */
  read: { address: string; chain: string; block: string; readAt: string }
  /** For operators alone: at first, then at each change. */
  jobs: { queues: QueueView[] }
  /** Last event of a stream that makes room for a newer one of its session. */
  replaced: Record<string, never>
}
