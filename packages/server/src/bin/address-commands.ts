import { parseAddress, type WalletAddress } from '@coffer/contract'
import { z } from 'zod'
import type { Entry } from '../features/address-book/address-book-store.ts'
import { changeEntry, type EntryPlan } from '../features/address-book/entry-plan.ts'
import { type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { getAccount, plan } from './command-input.ts'

const address = z.string().transform((text, context): WalletAddress => {
  const parsed = parseAddress(text)
  if (parsed) return parsed
  context.addIssue({ code: 'custom', message: 'is not a wallet address' })
  return z.NEVER
})
const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a time as in ISO 8601, e.g. 2027-01-31T12:00:00Z')
  .transform((text) => new Date(text))
const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const addressSet = defineCommand({
  usage: '--account ID --address A [--plan FREE|LITE|PRO] [--expires-at T] [--owner-authorized true|false]',
  flags: {
    account: id,
    address,
    plan: plan.optional(),
    expiresAt: time.optional(),
    ownerAuthorized: yesOrNo.optional(),
  },
  async run({ db }, { account, address, plan, expiresAt, ownerAuthorized }) {
    const changes = { plan: planUntil(plan, expiresAt), ownerAuthorized }
    await getAccount({ db }, account)
    const of = { accountId: account, address: address.address }
    const entry = await changeEntry(db, of, changes)
    return { print: entry ? shown(account, entry) : notInBook(of) }
  },
})

/** What is done with the entries of an account's address book. */
export const addressCommands: Readonly<Record<string, Command>> = {
  'address set': addressSet,
}

/** A paid plan has an end, and only a paid plan has one. */
function planUntil(plan: EntryPlan['plan'] | undefined, expiresAt: Date | undefined): EntryPlan | undefined {
  if (plan === undefined || plan === 'FREE') {
    if (expiresAt) throw new Refusal('--expires-at goes with --plan LITE or PRO alone.')
    return plan && { plan, expiresAt: null }
  }
  if (!expiresAt) throw new Refusal(`--plan ${plan} needs --expires-at.`)
  return { plan, expiresAt }
}

const shown = (account: string, entry: Entry) => ({ account, ...entry })

function notInBook({ accountId, address }: { accountId: string; address: string }): never {
  throw new Refusal(`The address book of account ${accountId} has no ${address}.`)
}
