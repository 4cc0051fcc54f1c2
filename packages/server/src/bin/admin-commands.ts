import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { z } from 'zod'
import {
  costMethods,
  createAccount,
  type Entitlement,
  entitlements,
  listAccounts,
  updateAccount,
} from '../features/accounts/accounts.ts'
import { grantCredits } from '../features/credits/credits.ts'
import { findViolations, ledgerLines } from '../features/credits/ledger.ts'
import { createKey, listKeys, revokeKey } from '../features/keys/keys.ts'
import { addressCommands } from './address-commands.ts'
import { type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { getAccount, name, noAccount, plan } from './command-input.ts'
import { forgetCommands } from './forget-commands.ts'
import { secretCommands } from './secret-commands.ts'
import { snapshotCommands } from './snapshot-commands.ts'
import { syncCommands } from './sync-commands.ts'
import { virtualUserCommands } from './virtual-user-commands.ts'

const entitlementList = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .refine(
    (parts): parts is Entitlement[] => parts.every((part) => entitlements.some((known) => known === part)),
    `must be a comma list of ${entitlements.join(', ')}, or empty`,
  )
const wholeNumber = (least: number) =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, `must be a whole number from ${least}`)
    .transform(Number)
    .refine((n) => n >= least && n <= Number.MAX_SAFE_INTEGER, `must be a whole number from ${least}`)
const count = wholeNumber(1).refine((n) => n < 2 ** 31, 'is too large')
/** `default` takes the account's own value away again. */
const override = z
  .string()
  .refine((text) => text === 'default' || count.safeParse(text).success, 'must be a whole number from 1, or default')
  .transform((text) => (text === 'default' ? null : Number(text)))
  .optional()

const accountCreate = defineCommand({
  usage: '--name N [--plan FREE|LITE|PRO] [--entitlements portfolio,beacon] [--credits N]',
  flags: {
    name,
    plan: plan.default('FREE'),
    entitlements: entitlementList.default([]),
    credits: wholeNumber(0).default(0),
  },
  async run({ db }, account) {
    const { id, name, plan, entitlements, credits } = await createAccount(db, account)
    return { print: { id, name, plan, entitlements, credits } }
  },
})

const accountUpdate = defineCommand({
  usage:
    'ID [--plan P] [--entitlements L] [--cost-method AVG|FIFO|LIFO|HIFO] [--address-book-quota N] [--bundle-quota N] [--bundle-size-quota N] [--rate-limit-default N] [--rate-limit-portfolio N] [--rate-limit-beacon N]',
  takesId: true,
  flags: {
    plan: plan.optional(),
    entitlements: entitlementList.optional(),
    costMethod: z.enum(costMethods, `must be one of ${costMethods.join(', ')}`).optional(),
    addressBookQuota: override,
    bundleQuota: override,
    bundleSizeQuota: override,
    rateLimitDefault: override,
    rateLimitPortfolio: override,
    rateLimitBeacon: override,
  },
  async run({ db }, { id, plan, entitlements, costMethod, ...own }) {
    const account = await updateAccount(db, id, {
      ...(plan && { plan }),
      ...(entitlements && { entitlements }),
      ...(costMethod && { costMethod }),
      quotas: given({ addressBook: own.addressBookQuota, bundles: own.bundleQuota, bundleSize: own.bundleSizeQuota }),
      rateLimits: given({
        default: own.rateLimitDefault,
        portfolio: own.rateLimitPortfolio,
        beacon: own.rateLimitBeacon,
      }),
    })
    return { print: account ?? noAccount(id) }
  },
})

const accountList = defineCommand({
  usage: '',
  flags: {},
  run: async ({ db }) => ({ print: await listAccounts(db) }),
})

const keyCreate = defineCommand({
  usage: '--account ID --name N',
  flags: { account: id, name },
  async run({ db, peppers }, { account, name }) {
    await getAccount({ db }, account)
    return { print: await createKey(db, await peppers(), { accountId: account, name }) }
  },
})

const keyList = defineCommand({
  usage: '[--account ID]',
  flags: { account: id.optional() },
  async run({ db }, { account }) {
    if (account !== undefined) await getAccount({ db }, account)
    return { print: await listKeys(db, account) }
  },
})

const keyRevoke = defineCommand({
  usage: 'ID',
  takesId: true,
  flags: {},
  async run({ db }, { id }) {
    const key = await revokeKey(db, id)
    if (!key) throw new Refusal(`There is no key ${id}.`)
    return { print: key }
  },
})

const creditsGrant = defineCommand({
  usage: '--account ID --amount N [--reference R]',
  flags: { account: id, amount: wholeNumber(1), reference: name.optional() },
  async run({ db }, { account, amount, reference = randomUUID() }) {
    await getAccount({ db }, account)
    const grant = { accountId: account, amount, reference }
    const granted = await grantCredits(db, grant).catch((error: unknown) => refuseGrant(error, reference))
    const { credits } = await getAccount({ db }, account)
    return { print: { accountId: account, amount, reference, granted, credits } }
  },
})

const creditsLedger = defineCommand({
  usage: '--account ID',
  flags: { account: id },
  async run({ db }, { account }) {
    await getAccount({ db }, account)
    return { print: ledgerLines(db, account) }
  },
})

const creditsVerify = defineCommand({
  usage: '',
  flags: {},
  async run({ db }) {
    const violations = await findViolations(db)
    return { print: { violations }, failed: violations.length > 0 }
  },
})

/** Every command by the words that call it. */
export const commands: Readonly<Record<string, Command>> = {
  'account create': accountCreate,
  'account update': accountUpdate,
  'account list': accountList,
  'key create': keyCreate,
  'key list': keyList,
  'key revoke': keyRevoke,
  'credits grant': creditsGrant,
  'credits ledger': creditsLedger,
  'credits verify': creditsVerify,
  ...addressCommands,
  ...secretCommands,
  ...syncCommands,
  ...forgetCommands,
  ...snapshotCommands,
  ...virtualUserCommands,
}

function refuseGrant(error: unknown, reference: string): never {
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  if (code === '23505') throw new Refusal(`The reference ${reference} was used for another amount.`)
  if (code === '23514') throw new Refusal('An account cannot hold so many credits.')
  throw error
}

/** The entries that were given. */
function given<K extends string, V>(values: Record<K, V | undefined>): Partial<Record<K, V>> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<Record<K, V>>
}
