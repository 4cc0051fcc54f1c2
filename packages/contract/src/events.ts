import { z } from 'zod'
import { decimalString, integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { asOf } from './portfolio.ts'

const moment = z.iso.datetime({ precision: 3 })
const address = z.string().describe('The wallet.')
const chain = z.string()
const wallet = { address, chain }
const watchId = z.string().describe('The watch that asked for it.')
const index = z.int()
const pubkey = z.string()

const threshold = {
  watchId,
  direction: z.enum(['above', 'below']).describe('Which side of the threshold the value is on now.'),
  threshold: decimalString.describe('The threshold of the watch.'),
  value: decimalString.describe('What is there now.'),
}

/** `data` by kind. Amounts, blocks and prices are texts. */
const eventData = {
  'transaction.found': z
    .object({
      ...wallet,
      ...{ hash: z.string(), block: integerString, time: moment.describe('When its block was made.') },
      type: z.string().describe('What it is called, as `txType` of transactions.'),
      succeeded: z.boolean().describe('Whether it succeeded.'),
    })
    .meta({ id: 'TransactionFound', description: 'A transaction of the last seven days was found in a wallet.' }),
  'approval.set': z
    .object({
      ...wallet,
      ...{ hash: z.string(), logIndex: z.int().describe('Its place among the logs of the block.') },
      ...{ block: integerString, contract: z.string(), spender: z.string().describe('Who may spend.') },
      amountRaw: integerString.describe('Allowance in base units; 0 is a revocation.'),
    })
    .meta({ id: 'ApprovalSet', description: 'An approval was found above all blocks that were searched before.' }),
  'snapshot.taken': z
    .object({ address, date: z.iso.date().describe('The day, in UTC.') })
    .meta({ id: 'SnapshotTaken', description: 'A day of a subscription has its snapshot.' }),
  'snapshot.missed': z
    .object({
      ...{ ...wallet, date: z.iso.date().describe('The day, in UTC.') },
      reason: z
        .enum(['no-state', 'unreadable'])
        .describe('`no-state`: no node kept the state of that day. `unreadable`: it could not be read in time.'),
    })
    .meta({ id: 'SnapshotMissed', description: 'A day of a subscription has no snapshot for good.' }),
  'sync.ended': z
    .object({
      address,
      state: z
        .enum(['paused', 'failed', 'done', 'done-with-gaps'])
        .describe('How it ended. `done-with-gaps`: the nodes lack something, which the status of the wallet names.'),
      reason: z.string().nullable().describe('Why; null where it is done.'),
      newTransactions: z.int().describe('New transactions that it stored.'),
    })
    .meta({ id: 'SyncEnded', description: 'A sync is done, paused or has failed.' }),
  'networth.threshold': z.object({ ...threshold, address, asOf }).meta({
    id: 'NetWorthThreshold',
    description: 'The net worth of a watched wallet has passed a threshold, in USD.',
  }),
  'balance.threshold': z
    .object({ ...threshold, ...wallet, contract: z.string(), asOf })
    .meta({ id: 'BalanceThreshold', description: 'A watched balance has passed a threshold, in token units.' }),
  'credits.low': z
    .object({ watchId, threshold: threshold.threshold, value: threshold.value })
    .meta({ id: 'CreditsLow', description: 'The account has fewer credits than it named.' }),
  'validator.missed': z
    .object({
      ...{ index, pubkey, epoch: z.int(), attestationsMissed: z.int() },
      blocksMissed: z.int().describe('Blocks that it was to propose and did not.'),
      syncMissed: z.int().describe('Signatures for the sync committee that it was to give and did not.'),
    })
    .meta({ id: 'ValidatorMissed', description: 'A watched validator missed duties in an epoch.' }),
  'validator.slashed': z
    .object({
      ...{ index, pubkey },
      exitEpoch: z.int().nullable().describe('The epoch in which it exits.'),
      withdrawableEpoch: z.int().nullable().describe('The epoch from which its balance can be withdrawn.'),
    })
    .meta({ id: 'ValidatorSlashed', description: 'A watched validator was slashed.' }),
  'airdrop.claimable': z
    .object({
      ...{ watchId, ...wallet, protocol: z.string().describe('Key of the protocol.') },
      ...{ title: z.string().describe('What the airdrop is called.'), link: z.string() },
      distributor: z.string().describe('The account that pays it out.'),
      ...{ contract: z.string(), symbol: z.string() },
      amount: decimalString.describe('What can be claimed now, in token units.'),
    })
    .meta({ id: 'AirdropClaimable', description: 'A watched wallet can claim an airdrop that it could not before.' }),
} as const

export type EventKind = keyof typeof eventData
export type EventData<K extends EventKind> = z.input<(typeof eventData)[K]>

export const EVENT_KINDS = Object.keys(eventData) as [EventKind, ...EventKind[]]

const testData = z
  .object({ webhookId: z.string().describe('The webhook that is tested.') })
  .meta({ id: 'WebhookTest', description: 'A webhook was tested.' })

export const eventMessages: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries<z.ZodType>({ ...eventData, 'webhook.test': testData }).map(([kind, data]) => {
    const { id, description = '' } = data.meta() ?? {}
    const message = z.object({
      type: z.literal(kind).describe('The kind of the event.'),
      timestamp: moment.describe('When it happened.'),
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
      'What happens in the account from now on, as server-sent events that do not end: the name of each is its kind, its data the same JSON that webhooks get (see their models), its id the `webhook-id`. `ready` comes first and says where the stream begins. Lines that begin with a colon keep the connection open. A key has four streams at once and an account twenty; a further one ends the oldest.',
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
        .describe('The id of the last event that was received: nothing after it is missed, for 30 days.'),
    }),
    produces: 'text/event-stream',
    response: z.string(),
  },
}).streamEvents
