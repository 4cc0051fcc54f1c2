import type { Generated, GeneratedAlways } from 'kysely'

type Reported = {
  account_id: bigint
  /** Null: all webhooks of the kind. */
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

  event_stream: { account_id: bigint; heard_at: Date }

  event_outbox: Reported & { id: GeneratedAlways<bigint>; at: Generated<Date> }

  event: Reported & { id: GeneratedAlways<bigint>; at: Date }

  webhook_delivery: {
    id: GeneratedAlways<bigint>
    webhook_id: string
    event_id: bigint
    subject: string
    state: Generated<'waiting' | 'delivered' | 'dead'>
    /** Creation or last replay. */
    since: Generated<Date>
    attempts: Generated<number>
    tried_at: Date | null
    status: number | null
    error: string | null
    response: string | null
  }

  /** `claim` counts takers: only the last one may continue. */
  webhook_lane: {
    webhook_id: string
    subject: string
    next_at: Date | null
    failures: Generated<number>
    claim: Generated<bigint>
  }

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
