import { z } from 'zod'
import { decimalString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { text } from '../text.ts'
import { virtualUserType } from '../virtual-users.ts'
import { own } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const label = text({ min: 1, max: 255 })
const MOST_BALANCES = 500

const amount = z.string().regex(/^(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'must be an amount of at most 18 decimals, from 0')
/** `priceSource`: `fx`, `coingecko:ID`, `defillama:ID` or `fixed:USD`. */
const givenBalance = z.union(
  [
    z.strictObject({ chain: z.string().max(100), contract: z.string().max(100), amount }),
    z.strictObject({ symbol: z.string().max(32), priceSource: z.string().max(200), amount }),
  ],
  'must have an amount, and chain and contract or symbol and priceSource',
)
export type GivenBalance = z.output<typeof givenBalance>

const shownBalance = z.union([
  z.object({ chain: z.string(), contract: z.string(), amount: decimalString }),
  z.object({ symbol: z.string(), priceSource: z.string(), amount: decimalString }),
])

const balances = z.object({
  /** Balances above zero. */
  balances: z.array(shownBalance),
  /** Why the service, as configured, cannot price some of them. */
  warnings: z.array(z.string()),
})
export type BalancesView = z.infer<typeof balances>

const view = z.object({
  id: z.string(),
  address: z.string(),
  type: virtualUserType,
  label: z.string(),
  createdAt: moment,
  /** Key of the linked exchange. */
  exchange: z.string().nullable(),
})
export type VirtualUserView = z.infer<typeof view>

/** Null: the exchange does not report it. */
const permissions = z.object({ trade: z.boolean().nullable(), withdraw: z.boolean().nullable() })

const secretText = z.string().trim().min(1).max(5_000)

const shared = { ...own, tag: 'Virtual users' } as const
const change = { ...shared, requires: { who: 'owner', access: 'pro' } } as const
const proved = { ...shared, requires: { who: 'owner', access: 'pro', proof: true } } as const
const params = z.object({ id: z.uuid('must be an id') })
const root = '/portal/api/accounts/:account/virtual-users'

export const portalVirtualUserEndpoints = defineEndpoints({
  describeVirtualUsers: {
    ...shared,
    method: 'GET',
    path: root,
    summary: 'List virtual users',
    requires: { who: 'viewer' },
    response: z.array(view),
  },
  createVirtualUser: {
    ...change,
    method: 'POST',
    path: root,
    summary: 'Create a virtual user',
    status: 201,
    body: z.object({ type: virtualUserType, label }),
    response: view,
  },
  renameVirtualUser: {
    ...change,
    method: 'PATCH',
    path: `${root}/:id`,
    summary: 'Rename a virtual user',
    failures: [404],
    params,
    body: z.object({ label }),
    response: view,
  },
  removeVirtualUser: {
    ...proved,
    method: 'DELETE',
    path: `${root}/:id`,
    summary: 'Remove a virtual user with its balances and credentials',
    failures: [404],
    params,
    response: view,
  },
  getBalances: {
    ...shared,
    method: 'GET',
    path: `${root}/:id/balances`,
    summary: 'Get manual balances',
    requires: { who: 'viewer' },
    failures: [404],
    params,
    response: balances,
  },
  replaceBalances: {
    ...change,
    method: 'POST',
    path: `${root}/:id/balances`,
    summary: 'Set all manual balances from now on',
    description: 'Omitted balances are zero from now on; past values stay.',
    failures: [404],
    params,
    body: z.object({ balances: z.array(givenBalance).max(MOST_BALANCES) }),
    response: balances,
  },
  listExchanges: {
    ...shared,
    method: 'GET',
    path: '/portal/api/accounts/:account/exchanges',
    summary: 'List exchanges that can be linked',
    requires: { who: 'viewer' },
    response: z.array(z.object({ key: z.string(), name: z.string() })),
  },
  linkExchange: {
    ...proved,
    method: 'POST',
    path: `${root}/:id/link`,
    summary: 'Link an exchange account',
    description:
      'Asks the exchange for the permissions of the key, and refuses keys that may trade or withdraw. The credentials are never shown again.',
    failures: [404, 502],
    params,
    body: z.object({
      exchange: z.string().max(100),
      credentials: z.strictObject({
        apiKey: secretText,
        secret: secretText,
        password: z.string().min(1).max(5_000).optional(),
        uid: secretText.optional(),
      }),
    }),
    response: z.object({ exchange: z.string(), name: z.string(), permissions, warning: z.string().nullable() }),
  },
  unlinkExchange: {
    ...proved,
    method: 'DELETE',
    path: `${root}/:id/link`,
    summary: 'Unlink an exchange and delete its credentials',
    failures: [404],
    params,
    response: view,
  },
})
