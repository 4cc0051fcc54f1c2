import type { Generated, GeneratedAlways } from 'kysely'

type Told = {
  account_id: bigint
  /** The one webhook that it is for; null: all that take the kind. */
  webhook_id: string | null
  kind: string
  subject: string
  data: unknown
}

export interface EventTables {
  webhook: {
    id: string
    account_id: bigint
    url: string
    kinds: string[]
    enabled: Generated<boolean>
    secret_id: string
    old_secret_id: string | null
    old_secret_until: Date | null
    created_at: Generated<Date>
  }

  /** Accounts that listen to streams of events, and when they last did. */
  event_stream: { account_id: bigint; heard_at: Date }

  /** What happened, as its transaction wrote it. */
  event_outbox: Told & { id: GeneratedAlways<bigint>; at: Generated<Date> }

  /** What happened, in an order that does not change any more. */
  event: Told & { id: GeneratedAlways<bigint>; at: Date }

  webhook_delivery: {
    id: GeneratedAlways<bigint>
    webhook_id: string
    event_id: bigint
    subject: string
    state: Generated<'waiting' | 'delivered' | 'dead'>
    /** From when its age counts: when it came, or was last replayed. */
    since: Generated<Date>
    attempts: Generated<number>
    tried_at: Date | null
    status: number | null
    error: string | null
    response: string | null
  }

  /** Deliveries of one subject to one webhook. `claim` counts who took it, so that only the last one may go on. */
  webhook_lane: {
    webhook_id: string
    subject: string
    next_at: Date | null
    failures: Generated<number>
    claim: Generated<bigint>
  }

  /** What accounts want to be told of. The comments of its columns say what they hold. */
  watch: {
    id: string
    account_id: bigint
    type: 'netWorth' | 'balance' | 'credits' | 'validator' | 'airdrops'
    address: string | null
    chain: string | null
    contract: string | null
    validator: string | null
    validator_index: bigint | null
    is_above: boolean | null
    threshold: string | null
    is_past: boolean | null
    value: string | null
    known: unknown
    incomplete: Generated<unknown>
    claim: Generated<bigint>
    checked_at: Date | null
    settled_at: Date | null
    created_at: Generated<Date>
  }
}
