import { Failure, type WalletAddress } from '@coffer/contract'
import { z } from 'zod'
import type { ChainType } from '../chains/chain-type.ts'
import { changeEntry, type Entry, type EntryPlan, selectEntries } from '../features/address-book/address-book-store.ts'
import { createKeptEntries } from '../features/address-book/kept-entries.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { commandChainTypes, getAccount, OPERATOR, parseAddress, plan } from './command-input.ts'

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
  records: 'changed an address',
  about: "Sets the plan of an address in an account's book, or that its owner has authorised it.",
  example: '--account 2 --address 0x… --plan PRO --expires-at 2027-12-31T00:00:00Z',
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
    return { print: entry ? shown(account, entry) : notInBook(of), recorded: { accountId: account } }
  },
})

const addressChallenge = defineCommand({
  records: null,
  about: 'Prints the text that the owner of an address signs to authorise its entry.',
  example: '--account 2 --address 0x…',
  usage: '--account ID --address A',
  flags: { account: id, address },
  async run(context, { account, address }) {
    const { entries, of } = await entryOf(context, account, address)
    const { publicUrl } = context.config()
    const service = publicUrl === null ? 'Coffer' : `Coffer at ${publicUrl}`
    const challenge = await entries.challenge(of, service).catch(refuse)
    return { print: { account, address: of.address, ...challenge } }
  },
})

const addressVerify = defineCommand({
  records: 'itself',
  about: "Checks the owner's signature; an entry so authorised cannot be removed by a client.",
  example: '--account 2 --address 0x… --signature 0x…',
  usage: '--account ID --address A --signature S',
  flags: { account: id, address, signature: z.string().trim().min(1, 'is empty') },
  async run(context, { account, address, signature }) {
    const { entries, of } = await entryOf(context, account, address)
    const { entry, verifiedOn } = await entries.verify(OPERATOR, of, signature).catch(refuse)
    return { print: { ...shown(account, entry), verifiedOn } }
  },
})

const addressRemove = defineCommand({
  records: 'itself',
  about: "Removes an address from an account's book, also one that is paid for or authorised by its owner.",
  example: '--account 2 --address 0x…',
  usage: '--account ID --address A',
  flags: { account: id, address },
  async run(context, { account, address }) {
    const { entries, of } = await entryOf(context, account, address)
    await entries.remove(OPERATOR, of)
    return { print: { account, address: of.address } }
  },
})

export const addressCommands: Readonly<Record<string, Command>> = {
  'address set': addressSet,
  'address challenge': addressChallenge,
  'address verify': addressVerify,
  'address remove': addressRemove,
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

/** Refuses an address that is not in the address book. */
async function entryOf(context: AdminContext, accountId: string, { address }: WalletAddress) {
  const { db } = context
  await getAccount({ db }, accountId)
  const of = { accountId, address }
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) notInBook(of)
  const { openPoolsOf } = await import('./parts.ts')
  const poolsOf = (chainType: ChainType) => openPoolsOf(chainType, context.config(), context)
  return { entries: createKeptEntries({ db, chainTypes: commandChainTypes, poolsOf }), of }
}

function refuse(thrown: unknown): never {
  if (!(thrown instanceof Failure)) throw thrown
  throw new Refusal(`${thrown.message.replace(/\.$/, '')}.`)
}

function notInBook({ accountId, address }: { accountId: string; address: string }): never {
  throw new Refusal(`The address book of account ${accountId} has no ${address}.`)
}
