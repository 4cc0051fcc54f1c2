import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { integerQuery } from '../query.ts'
import { text } from '../text.ts'
import { own, rowId } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const plan = z.enum(['FREE', 'LITE', 'PRO'])
const entitlements = z.array(z.enum(['portfolio', 'beacon']))
const costMethod = z.enum(['AVG', 'FIFO', 'LIFO', 'HIFO'])
const name = text({ min: 1, max: 255 })
/** Null: the value of the plan or the service. */
const override = z.int().min(1).max(2_147_483_647).nullable()
const quotas = z.object({ addressBook: override, bundles: override, bundleSize: override })
const rateLimits = z.object({ default: override, portfolio: override, beacon: override })

const account = z.object({
  id: z.string(),
  name: z.string(),
  plan,
  entitlements,
  costMethod,
  quotas,
  rateLimits,
  credits: z.int(),
  createdAt: moment,
})

const node = z.object({
  /** Place in the configuration, e.g. `ethereum#1`. */
  endpoint: z.string(),
  /** Host and port; the rest of the URL may hold a key. */
  host: z.string(),
  /** Difference from its chain; such a node is not used. */
  problem: z.string().nullable(),
  /** Since this process started. */
  requests: z.int(),
  failures: z.int(),
  /** Since its last answer. */
  failuresInARow: z.int(),
  /** Average of the latest answers. */
  latencyMs: z.int().nullable(),
  lastFailure: z.object({ reason: z.string(), at: moment }).nullable(),
})

const chain = z.object({
  chain: z.string(),
  name: z.string(),
  /** Age of its newest block at the last read; null: not read yet. */
  headAgeSeconds: z.int().nullable(),
  endpoints: z.array(node),
})
export type ChainNodes = z.infer<typeof chain>

/** Counts end at 1,000. */
const queue = z.object({
  name: z.string(),
  waiting: z.int(),
  retrying: z.int(),
  running: z.int(),
  /** In the last day. */
  failed: z.int(),
  done: z.int(),
  /** Time since which the oldest job could have begun. */
  oldestDueAt: moment.nullable(),
  lastFailedAt: moment.nullable(),
})
export type QueueView = z.infer<typeof queue>

const sync = z.object({
  wallet: z.string(),
  account: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  requestedAt: moment,
  setAside: z.array(
    z.object({
      chain: z.string(),
      step: z.string(),
      reason: z.string(),
      failures: z.int(),
      since: moment,
      retryAt: moment,
    }),
  ),
})

const priceSource = z.object({
  name: z.string(),
  /** Place in the order of sources, from 1; null: not asked. */
  place: z.int().nullable(),
  /** It asks a service other than the nodes. */
  leavesNode: z.boolean(),
  settings: z.array(z.object({ variable: z.string(), isSet: z.boolean() })),
})

/** Effective values; `[secret]` if one may hold a key, a URL by its host alone. */
const configuration = z.object({
  version: z.string(),
  node: z.string(),
  settings: z.record(z.string(), z.unknown()),
})

const shared = { ...own, tag: 'Operator', requires: { who: 'operator' } } as const
const root = '/portal/api/operator'
const params = z.object({ id: rowId })
const limit = integerQuery({ min: 1, max: 200 }).default(50)
/** `after` for the next page; null: there is none. */
const next = z.string().nullable()

export const operatorEndpoints = defineEndpoints({
  listAccounts: {
    ...shared,
    method: 'GET',
    path: `${root}/accounts`,
    summary: 'List accounts by name',
    query: z.object({
      name: z.string().max(255).optional().describe('Begin of the name, in any case.'),
      after: rowId.optional(),
      limit,
    }),
    response: z.object({ accounts: z.array(account), next }),
  },
  openAccount: {
    ...shared,
    method: 'POST',
    path: `${root}/accounts`,
    summary: 'Create an account',
    requires: { who: 'operator', proof: true },
    status: 201,
    body: z.object({ name, plan, entitlements, credits: z.int().min(0).max(Number.MAX_SAFE_INTEGER) }),
    response: account,
  },
  changeAccount: {
    ...shared,
    method: 'PATCH',
    path: `${root}/accounts/:id`,
    summary: 'Change plan, limits and cost method of an account',
    description: 'Omitted fields stay unchanged. Takes effect everywhere within five seconds.',
    requires: { who: 'operator', proof: true },
    failures: [404],
    params,
    body: z.object({
      plan: plan.optional(),
      entitlements: entitlements.optional(),
      costMethod: costMethod.optional(),
      quotas: quotas.partial().optional(),
      rateLimits: rateLimits.partial().optional(),
    }),
    response: account,
  },
  grantCredits: {
    ...shared,
    method: 'POST',
    path: `${root}/accounts/:id/credits`,
    summary: 'Give credits to an account',
    description: 'A reference gives credits once. Repeating it changes nothing.',
    requires: { who: 'operator', proof: true },
    failures: [404],
    params,
    body: z.object({ amount: z.int().min(1).max(Number.MAX_SAFE_INTEGER), reference: name }),
    response: z.object({ granted: z.boolean(), account }),
  },
  verifyCredits: {
    ...shared,
    method: 'POST',
    path: `${root}/credits/verify`,
    summary: 'Check every rule of the credit ledger',
    description: 'Reads the whole ledger. A consistent ledger has no violations.',
    body: z.object({}),
    response: z.object({
      violations: z.array(z.object({ invariant: z.string(), subject: z.string(), detail: z.string() })),
    }),
  },
  listNodes: {
    ...shared,
    method: 'GET',
    path: `${root}/chains`,
    summary: 'List chains with their nodes, as this process sees them',
    response: z.array(chain),
  },
  listQueues: {
    ...shared,
    method: 'GET',
    path: `${root}/jobs`,
    summary: 'List job queues',
    response: z.array(queue),
  },
  listFailingSyncs: {
    ...shared,
    method: 'GET',
    path: `${root}/syncs`,
    summary: 'List failed and paused syncs, and wallets that the service fails to follow',
    description: 'By wallet.',
    query: z.object({ after: z.string().max(255).optional(), limit }),
    response: z.object({ syncs: z.array(sync), next }),
  },
  listPriceSources: {
    ...shared,
    method: 'GET',
    path: `${root}/price-sources`,
    summary: 'List price sources',
    response: z.array(priceSource),
  },
  getConfiguration: {
    ...shared,
    method: 'GET',
    path: `${root}/configuration`,
    summary: 'Get the version and the configuration in effect',
    response: configuration,
  },
})
