import { randomUUID } from 'node:crypto'
import { endpoints } from '@coffer/contract'
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
import { tableOf } from '../features/doctor/findings.ts'
import { listSyncs } from '../features/history/sync/sync-progress.ts'
import { createKey, listKeys, revokeKey } from '../features/keys/keys.ts'
import { rotateSecrets } from '../features/secrets/secret-rotation.ts'
import { type Access, mayUse } from '../http/authorize.ts'
import { addressCommands } from './address-commands.ts'
import { type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { address, getAccount, name, noAccount, plan } from './command-input.ts'
import { examineService } from './examine-service.ts'
import { forgetCommands } from './forget-commands.ts'
import { pnlCommands } from './pnl-commands.ts'
import { portalCommands } from './portal-commands.ts'
import { priceCommands } from './price-commands.ts'
import { snapshotCommands } from './snapshot-commands.ts'
import { virtualUserCommands } from './virtual-user-commands.ts'
import { watchCommands } from './watch-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

const doctor: Command = defineCommand({
  records: null,
  about:
    'Looks at endpoints, database, disk, clock, prices, queue and keys, and says what to mend; exits with 1 where one fails.',
  usage: '[--format table|json]',
  example: '--format json',
  flags: { format: z.enum(['table', 'json'], 'must be table or json').default('table') },
  async run({ db, config, vault, peppers }, { format }) {
    const findings = await examineService(config(), { db }, () => Promise.all([vault(), peppers()]))
    const failed = findings.some(({ state }) => state === 'fail')
    return format === 'json' ? { print: findings, failed } : { text: tableOf(findings), failed }
  },
})

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
/** `default` removes the account's own value. */
const override = z
  .string()
  .refine((text) => text === 'default' || count.safeParse(text).success, 'must be a whole number from 1, or default')
  .transform((text) => (text === 'default' ? null : Number(text)))
  .optional()

const accountCreate = defineCommand({
  records: 'created an account',
  about:
    'Makes an account. Unless told otherwise it may read portfolios and has 1,000 credits; prints what it may call.',
  example: '--name acme --plan PRO --credits 100000',
  usage: '--name N [--plan FREE|LITE|PRO] [--entitlements portfolio,beacon] [--credits N]',
  flags: {
    name,
    plan: plan.default('FREE'),
    entitlements: entitlementList.default(['portfolio']),
    credits: wholeNumber(0).default(1_000),
  },
  async run({ db }, account) {
    const { id, name, plan, entitlements, credits } = await createAccount(db, account)
    const mayCall = callsOf({ plan, entitlements })
    return {
      print: {
        id,
        name,
        plan,
        entitlements,
        credits,
        mayCall,
        next: `coffer-admin key create --account ${id} --name mine`,
      },
      recorded: { accountId: id, detail: { name, plan, entitlements, credits } },
    }
  },
})

const accountUpdate = defineCommand({
  records: 'changed an account',
  about: 'Changes what is given of an account and leaves the rest; default takes a quota or limit of its own away.',
  example: '2 --plan PRO --cost-method FIFO --rate-limit-portfolio 1000',
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
    return { print: account ?? noAccount(id), recorded: { accountId: id } }
  },
})

const accountList = defineCommand({
  records: null,
  about: 'Lists every account with its plan, limits and credits.',
  run: async ({ db }) => ({ print: await listAccounts(db) }),
})

const keyCreate = defineCommand({
  records: 'created a key',
  about: 'Makes an API key of an account and prints it, this once.',
  example: '--account 2 --name production',
  usage: '--account ID --name N',
  flags: { account: id, name },
  async run({ db, peppers }, { account, name }) {
    await getAccount({ db }, account)
    const key = await createKey(db, await peppers(), { accountId: account, name })
    return { print: key, recorded: { accountId: account, detail: { id: key.id } } }
  },
})

const keyList = defineCommand({
  records: null,
  about: 'Lists API keys by their last letters, and when each was last used.',
  example: '--account 2',
  usage: '[--account ID]',
  flags: { account: id.optional() },
  async run({ db }, { account }) {
    if (account !== undefined) await getAccount({ db }, account)
    return { print: await listKeys(db, account) }
  },
})

const keyRevoke = defineCommand({
  records: 'revoked a key',
  about: 'Revokes an API key; in effect everywhere within 5 seconds.',
  example: '7',
  usage: 'ID',
  takesId: true,
  async run({ db }, { id }) {
    const key = await revokeKey(db, id)
    if (!key) throw new Refusal(`There is no key ${id}.`)
    return { print: key, recorded: { accountId: key.accountId } }
  },
})

const creditsGrant = defineCommand({
  records: 'gave credits',
  about: 'Adds credits to an account, once for each reference.',
  example: '--account 2 --amount 50000 --reference "invoice 17"',
  usage: '--account ID --amount N [--reference R]',
  flags: { account: id, amount: wholeNumber(1), reference: name.optional() },
  async run({ db }, { account, amount, reference = randomUUID() }) {
    await getAccount({ db }, account)
    const grant = { accountId: account, amount, reference }
    const granted = await grantCredits(db, grant).catch((error: unknown) => refuseGrant(error, reference))
    const { credits } = await getAccount({ db }, account)
    const recorded = granted ? { accountId: account, detail: { amount, reference } } : null
    return { print: { accountId: account, amount, reference, granted, credits }, recorded }
  },
})

const creditsLedger = defineCommand({
  records: null,
  about: "Lists every movement of an account's credits.",
  example: '--account 2',
  usage: '--account ID',
  flags: { account: id },
  async run({ db }, { account }) {
    await getAccount({ db }, account)
    return { print: ledgerLines(db, account) }
  },
})

const creditsVerify = defineCommand({
  records: null,
  about: 'Checks that the ledger adds up; exits with 1 where it does not.',
  async run({ db }) {
    const violations = await findViolations(db)
    return { print: { violations }, failed: violations.length > 0 }
  },
})

const secretsRotate = defineCommand({
  records: 'rotated secrets',
  about: 'Encrypts stored secrets under the newest master key, while services run.',
  async run({ db, vault, masterKeys }) {
    await vault()
    const rotation = await rotateSecrets(db, masterKeys)
    return { print: rotation, failed: rotation.unreadable.length > 0 }
  },
})

const syncStatus = defineCommand({
  records: null,
  about: "Shows how far wallets' transactions are searched on each chain, and what fails.",
  example: '--address 0x…',
  usage: '[--address A]',
  flags: { address: address.optional() },
  run: async ({ db }, { address: wallet }) => ({ print: await listSyncs(db, wallet) }),
})

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
  doctor,
  ...addressCommands,
  'secrets rotate': secretsRotate,
  'sync status': syncStatus,
  ...forgetCommands,
  ...snapshotCommands,
  ...pnlCommands,
  ...virtualUserCommands,
  ...portalCommands,
  ...priceCommands,
  ...webhookCommands,
  ...watchCommands,
}

function refuseGrant(error: unknown, reference: string): never {
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  if (code === '23505') throw new Refusal(`The reference ${reference} was used for another amount.`)
  if (code === '23514') throw new Refusal('An account cannot hold so many credits.')
  throw error
}

const callsOf = (access: Access) =>
  Object.values(endpoints).flatMap(({ method, path, requires }) =>
    mayUse(access, requires) ? [`${method} ${path}`] : [],
  )

function given<K extends string, V>(values: Record<K, V | undefined>): Partial<Record<K, V>> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<Record<K, V>>
}
