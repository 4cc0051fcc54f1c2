import { z } from 'zod'
import { decimalString, integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { asOf } from './portfolio.ts'

const moment = z.iso.datetime({ precision: 3 })
const address = z.string().describe('The wallet.')
const chain = z.string()
const wallet = { address, chain }
const watchId = z.string().describe('The watch that triggered the event.')
const index = z.int()
const pubkey = z.string()

const threshold = {
  watchId,
  direction: z.enum(['above', 'below']).describe('The side of the threshold on which the value is now.'),
  threshold: decimalString.describe('The threshold of the watch.'),
  value: decimalString.describe('The current value.'),
}

/** `data` by kind. Amounts, blocks and prices are texts. */
const eventData = {
  'transaction.found': z
    .object({
      ...wallet,
      hash: z.string(),
      block: integerString,
      time: moment.describe('Time of the block.'),
      type: z.string().describe('Type of the transaction, as in `txTypes`.'),
      succeeded: z.boolean().describe('Whether the transaction succeeded.'),
    })
    .meta({ id: 'TransactionFound', description: 'A transaction of the last seven days was found in a wallet.' }),
  'approval.set': z
    .object({
      ...wallet,
      hash: z.string(),
      logIndex: z.int().describe('Index of the log in the block.'),
      block: integerString,
      contract: z.string(),
      spender: z.string().describe('The spender.'),
      amountRaw: integerString.describe('Allowance in base units; 0 is a revocation.'),
    })
    .meta({ id: 'ApprovalSet', description: 'An approval was found above all previously searched blocks.' }),
  'snapshot.taken': z
    .object({ address, date: z.iso.date().describe('The day, in UTC.') })
    .meta({ id: 'SnapshotTaken', description: 'The snapshot of a subscribed day was taken.' }),
  'snapshot.missed': z
    .object({
      ...wallet,
      date: z.iso.date().describe('The day, in UTC.'),
      reason: z
        .enum(['no-state', 'unreadable'])
        .describe('`no-state`: no node has the state of that day. `unreadable`: the state could not be read in time.'),
    })
    .meta({ id: 'SnapshotMissed', description: 'A subscribed day stays without a snapshot permanently.' }),
  'sync.ended': z
    .object({
      address,
      state: z
        .enum(['paused', 'failed', 'done', 'done-with-gaps'])
        .describe('Result of the sync. `done-with-gaps`: the nodes lack data that the status of the wallet names.'),
      reason: z.string().nullable().describe('Reason; null if done.'),
      newTransactions: z.int().describe('New transactions that the sync stored.'),
    })
    .meta({ id: 'SyncEnded', description: 'A sync finished, paused or failed.' }),
  'networth.threshold': z.object({ ...threshold, address, asOf }).meta({
    id: 'NetWorthThreshold',
    description: 'The net worth of a watched wallet crossed a threshold, in USD.',
  }),
  'balance.threshold': z
    .object({ ...threshold, ...wallet, contract: z.string(), asOf })
    .meta({ id: 'BalanceThreshold', description: 'A watched balance crossed a threshold, in token units.' }),
  'credits.low': z
    .object({ watchId, threshold: threshold.threshold, value: threshold.value })
    .meta({ id: 'CreditsLow', description: 'The credits of the account fell below the threshold of a watch.' }),
  'validator.missed': z
    .object({
      index,
      pubkey,
      epoch: z.int(),
      attestationsMissed: z.int(),
      blocksMissed: z.int().describe('Blocks that the validator should have proposed but did not.'),
      syncMissed: z
        .int()
        .describe('Signatures for the sync committee that the validator should have given but did not.'),
    })
    .meta({ id: 'ValidatorMissed', description: 'A watched validator missed duties in an epoch.' }),
  'validator.slashed': z
    .object({
      index,
      pubkey,
      exitEpoch: z.int().nullable().describe('Epoch in which the validator exits.'),
      withdrawableEpoch: z.int().nullable().describe('Epoch from which the balance can be withdrawn.'),
    })
    .meta({ id: 'ValidatorSlashed', description: 'A watched validator was slashed.' }),
  'airdrop.claimable': z
    .object({
      watchId,
      ...wallet,
      protocol: z.string().describe('Key of the protocol.'),
      title: z.string().describe('Title of the airdrop.'),
      link: z.string(),
      distributor: z.string().describe('The account that pays out the airdrop.'),
      contract: z.string(),
      symbol: z.string(),
      amount: decimalString.describe('Amount that can be claimed now, in token units.'),
    })
    .meta({ id: 'AirdropClaimable', description: 'A watched wallet can claim a new airdrop.' }),
} as const

export type EventKind = keyof typeof eventData
export type EventData<K extends EventKind> = z.input<(typeof eventData)[K]>

export const EVENT_KINDS = Object.keys(eventData) as [EventKind, ...EventKind[]]

const testData = z
  .object({ webhookId: z.string().describe('The tested webhook.') })
  .meta({ id: 'WebhookTest', description: 'A webhook was tested.' })

export const eventMessages: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries<z.ZodType>({ ...eventData, 'webhook.test': testData }).map(([kind, data]) => {
    const { id, description = '' } = data.meta() ?? {}
    const message = z.object({
      type: z.literal(kind).describe('The kind of the event.'),
      timestamp: moment.describe('Time of the event.'),
      data,
    })
    return [kind, message.meta({ id: `${id}Event`, description })]
  }),
)

/** Answered outside the request pipeline: it does not end. */
export const eventStream = defineEndpoints({
  streamEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Stream events',
    description:
      'Streams the events of the account from now on as server-sent events, without an end. The name of an event is its kind, its data is the JSON that webhooks receive (see their models), and its id is the `webhook-id`. `ready` comes first and has the start of the stream. Lines that begin with a colon keep the connection open. A key can have four streams at once and an account twenty; another stream ends the oldest.',
    tag: 'Webhooks',
    status: 200,
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'coded',
    sends: z.object({
      'Last-Event-ID': z
        .string()
        .regex(/^evt_\d+$/)
        .optional()
        .describe('The id of the last received event: the stream continues after it, for up to 30 days.'),
    }),
    produces: 'text/event-stream',
    response: z.string(),
  },
}).streamEvents
