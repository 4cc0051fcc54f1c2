import { randomUUID } from 'node:crypto'
import { endpoints } from '@coffer/contract'
import { operatorEndpoints, priceEndpoints } from '@coffer/contract/portal'
import pg from 'pg'
import { z } from 'zod'
import { createAccount, everyAccount, updateAccount } from '../features/accounts/accounts.ts'
import { grantCredits } from '../features/credits/credits.ts'
import { findViolations, ledgerLines } from '../features/credits/ledger.ts'
import { tableOf } from '../features/doctor/findings.ts'
import { listSyncs } from '../features/history/sync/sync-progress.ts'
import { createKey, listKeys, revokeKey } from '../features/keys/keys.ts'
import { createExplainPrices } from '../features/prices/module.ts'
import { rotateSecrets } from '../features/secrets/secret-rotation.ts'
import { type Access, mayUse } from '../http/authorize.ts'
import { addressCommands } from './address-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { type Command, defineCommand, getAccount, noAccount } from './command.ts'
import { address, id, name, Refusal } from './command-input.ts'
import { eventCommands } from './event-commands.ts'
import { examineService } from './examine-service.ts'
import { openParts } from './parts.ts'
import { portalCommands } from './portal-commands.ts'
import { virtualUserCommands } from './virtual-user-commands.ts'
import { walletCommands } from './wallet-commands.ts'

const { openAccount, changeAccount, grantCredits: grant } = operatorEndpoints
const { plan, entitlements, credits } = openAccount.body.shape

const { quotas, rateLimits, ...changes } = changeAccount.body.shape
const quota = quotas.unwrap().shape
const limit = rateLimits.unwrap().shape

export const commands: Readonly<Record<string, Command>> = {
  'account create': defineCommand({
    records: 'created an account',
    about: 'Create an account. By default it may read portfolios and has 1,000 credits; prints what it may call.',
    example: '--name acme --plan PRO --credits 100000',
    flags: {
      name,
      plan: plan.default('FREE'),
      entitlements: entitlements.default(['portfolio']),
      credits: credits.default(1_000),
    },
    async run({ db }, account) {
      const { id, name, plan, entitlements, credits } = await createAccount(db, account)
      const detail = { name, plan, entitlements, credits }
      const next = `coffer-admin key create --account ${id} --name mine`
      const print = { id, ...detail, mayCall: callsOf({ plan, entitlements }), next }
      return { print, recorded: { accountId: id, detail } }
    },
  }),
  'account update': defineCommand({
    records: 'changed an account',
    about: 'Change what is given of an account and leave the rest; default removes its own quota or limit.',
    example: '2 --plan PRO --cost-method FIFO --rate-limit-portfolio 1000',
    takesId: true,
    flags: {
      ...changes,
      addressBookQuota: quota.addressBook,
      bundleQuota: quota.bundles,
      bundleSizeQuota: quota.bundleSize,
      rateLimitDefault: limit.default,
      rateLimitPortfolio: limit.portfolio,
      rateLimitBeacon: limit.beacon,
    },
    async run({ db }, { id, plan, entitlements, costMethod, ...own }) {
      const account = await updateAccount(db, id, {
        plan,
        entitlements,
        costMethod,
        quotas: { addressBook: own.addressBookQuota, bundles: own.bundleQuota, bundleSize: own.bundleSizeQuota },
        rateLimits: { default: own.rateLimitDefault, portfolio: own.rateLimitPortfolio, beacon: own.rateLimitBeacon },
      })
      return { print: account ?? noAccount(id), recorded: { accountId: id } }
    },
  }),
  'account list': defineCommand({
    about: 'List accounts by name.',
    run: async ({ db }) => ({ print: everyAccount(db) }),
  }),
  'key create': defineCommand({
    records: 'created a key',
    about: 'Create an API key of an account and print it, this once.',
    example: '--account 2 --name production',
    flags: { account: id, name },
    async run({ db, peppers }, { account, name }) {
      const key = await createKey(db, await peppers(), { accountId: account, name })
      return { print: key, recorded: { detail: { id: key.id } } }
    },
  }),
  'key list': defineCommand({
    about: 'List API keys by their last letters, and when each was last used.',
    example: '--account 2',
    flags: { account: id.optional() },
    run: async ({ db }, { account }) => ({ print: await listKeys(db, account) }),
  }),
  'key revoke': defineCommand({
    records: 'revoked a key',
    about: 'Revoke an API key; in effect everywhere within 5 seconds.',
    example: '7',
    takesId: true,
    async run({ db }, { id }) {
      const key = await revokeKey(db, id)
      if (!key) throw new Refusal(`There is no key ${id}.`)
      return { print: key, recorded: { accountId: key.accountId } }
    },
  }),
  'credits grant': defineCommand({
    records: 'gave credits',
    about: 'Add credits to an account, once for each reference.',
    example: '--account 2 --amount 50000 --reference "invoice 17"',
    flags: { account: id, amount: grant.body.shape.amount, reference: name.optional() },
    async run({ db }, { account, amount, reference = randomUUID() }) {
      const given = { accountId: account, amount, reference }
      const granted = await grantCredits(db, given).catch((error: unknown) => refuseGrant(error, reference))
      const { credits } = await getAccount(db, account)
      return { print: { ...given, granted, credits }, recorded: granted ? { detail: { amount, reference } } : null }
    },
  }),
  'credits ledger': defineCommand({
    about: "List every movement of an account's credits.",
    example: '--account 2',
    flags: { account: id },
    run: async ({ db }, { account }) => ({ print: ledgerLines(db, account) }),
  }),
  'credits verify': defineCommand({
    about: 'Check that the ledger adds up; exits with 1 if it does not.',
    async run({ db }) {
      const violations = await findViolations(db)
      return { print: { violations }, failed: violations.length > 0 }
    },
  }),
  doctor: defineCommand({
    about:
      'Check endpoints, database, disk, clock, prices, queue and keys, and say what to fix; exits with 1 if one fails.',
    example: '--format json',
    flags: { format: z.enum(['table', 'json']).default('table') },
    async run({ db, config, vault, peppers }, { format }) {
      const findings = await examineService(config(), db, () => Promise.all([vault(), peppers()]))
      const failed = findings.some(({ state }) => state === 'fail')
      return format === 'json' ? { print: findings, failed } : { text: tableOf(findings), failed }
    },
  }),
  ...addressCommands,
  'secrets rotate': defineCommand({
    records: 'rotated secrets',
    about: 'Encrypt stored secrets under the newest master key, while services run.',
    async run({ db, vault, masterKeys }) {
      await vault()
      const rotation = await rotateSecrets(db, masterKeys)
      return { print: rotation, failed: rotation.unreadable.length > 0 }
    },
  }),
  'sync status': defineCommand({
    about: "Show how far wallets' transactions are searched on each chain, and what fails.",
    example: '--address 0x…',
    flags: { address: address.optional() },
    run: async ({ db }, { address: wallet }) => ({ print: listSyncs(db, wallet) }),
  }),
  ...walletCommands,
  ...virtualUserCommands,
  ...portalCommands,
  'price why': defineCommand({
    about: `${priceEndpoints.explainPrice.summary}.`,
    details: 'It lists source, path, confidence and what other sources say.',
    example: '--chain ethereum --token 0x…',
    flags: priceEndpoints.explainPrice.query.shape,
    run: async ({ db, config }, asked) => ({ print: await createExplainPrices(openParts(config(), db))(asked) }),
  }),
  ...eventCommands,
  ...backupCommands,
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
