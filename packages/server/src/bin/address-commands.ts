import type { WalletAddress } from '@coffer/contract'
import { operatorEndpoints } from '@coffer/contract/portal'
import { z } from 'zod'
import type { ChainType } from '../chains/chain-type.ts'
import { changeEntry, type Entry, type EntryPlan, selectEntries } from '../features/address-book/address-book.ts'
import { challengeOwner, removeKeptEntry, verifyOwner } from '../features/address-book/kept-entries.ts'
import { type AdminContext, type Command, defineCommand } from './command.ts'
import { commandChainTypes, id, OPERATOR, parseAddress, Refusal } from './command-input.ts'
import { poolsOf } from './parts.ts'

const address = z.string().transform((text, context): WalletAddress => {
  const parsed = parseAddress(text)
  if (parsed) return parsed
  context.addIssue({ code: 'custom', message: 'is not a wallet address' })
  return z.NEVER
})
const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a time as in ISO 8601, e.g. 2027-01-31T12:00:00Z')
  .meta({ form: 'TIME' })
  .transform((text) => new Date(text))
const yesOrNo = z.enum(['true', 'false']).transform((text) => text === 'true')

export const addressCommands: Readonly<Record<string, Command>> = {
  'address set': defineCommand({
    records: 'changed an address',
    about: "Set the plan of an address in an account's book, or that its owner has authorised it.",
    example: '--account 2 --address 0x… --plan PRO --expires-at 2027-12-31T00:00:00Z',
    flags: {
      account: id,
      address,
      plan: operatorEndpoints.changeAccount.body.shape.plan,
      expiresAt: time.optional(),
      ownerAuthorized: yesOrNo.optional(),
    },
    async run({ db }, { account, address, plan, expiresAt, ownerAuthorized }) {
      const changes = { plan: planUntil(plan, expiresAt), ownerAuthorized }
      const of = { accountId: account, address: address.address }
      const entry = await changeEntry(db, of, changes)
      return { print: entry ? shown(account, entry) : notInBook(of) }
    },
  }),
  'address challenge': defineCommand({
    about: 'Print the text that the owner of an address signs to authorise its entry.',
    example: '--account 2 --address 0x…',
    flags: { account: id, address },
    async run(context, { account, address }) {
      const { entries, of } = await entryOf(context, account, address)
      const { publicUrl } = context.config()
      const service = publicUrl === null ? 'Coffer' : `Coffer at ${publicUrl}`
      const challenge = await challengeOwner(entries, of, service)
      return { print: { account, address: of.address, ...challenge } }
    },
  }),
  'address verify': defineCommand({
    records: 'itself',
    about: "Check the owner's signature; a client cannot remove an entry that its owner authorised.",
    example: '--account 2 --address 0x… --signature 0x…',
    flags: { account: id, address, signature: z.string().trim().min(1, 'is empty') },
    async run(context, { account, address, signature }) {
      const { entries, of } = await entryOf(context, account, address)
      const { entry, verifiedOn } = await verifyOwner(entries, OPERATOR, of, signature)
      return { print: { ...shown(account, entry), verifiedOn } }
    },
  }),
  'address remove': defineCommand({
    records: 'itself',
    about: "Remove an address from an account's book, also one that is paid for or authorised by its owner.",
    example: '--account 2 --address 0x…',
    flags: { account: id, address },
    async run(context, { account, address }) {
      const { entries, of } = await entryOf(context, account, address)
      await removeKeptEntry(entries, OPERATOR, of)
      return { print: { account, address: of.address } }
    },
  }),
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

async function entryOf(context: AdminContext, accountId: string, { address }: WalletAddress) {
  const { db } = context
  const of = { accountId, address }
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) notInBook(of)
  const createPools = (chainType: ChainType) => poolsOf(chainType, context.config(), db)
  return { entries: { db, chainTypes: commandChainTypes, poolsOf: createPools }, of }
}

function notInBook({ accountId, address }: { accountId: string; address: string }): never {
  throw new Refusal(`The address book of account ${accountId} has no ${address}.`)
}
