import type { WalletAddress } from '@coffer/contract'
import { z } from 'zod'
import { type Entry, selectEntries } from '../features/address-book/address-book-store.ts'
import { changeEntry, type EntryPlan } from '../features/address-book/entry-plan.ts'
import { authorizeByOwner, createChallenge } from '../features/address-book/owner-authorization.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { getAccount, kindOf, parseAddress, plan } from './command-input.ts'

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
    return { print: entry ? shown(account, entry) : notInBook(of) }
  },
})

const addressChallenge = defineCommand({
  about: 'Prints the text that the owner of an address signs to authorise its entry.',
  example: '--account 2 --address 0x…',
  usage: '--account ID --address A',
  flags: { account: id, address },
  async run(context, { account, address }) {
    await getSignableEntry(context, account, address)
    const { publicUrl } = context.config()
    const service = publicUrl === null ? 'Coffer' : `Coffer at ${publicUrl}`
    const challenge = await createChallenge(context.db, { accountId: account, address: address.address, service })
    return { print: { account, address: address.address, ...challenge } }
  },
})

const addressVerify = defineCommand({
  about: "Checks the owner's signature; an entry so authorised cannot be removed by a client.",
  example: '--account 2 --address 0x… --signature 0x…',
  usage: '--account ID --address A --signature S',
  flags: { account: id, address, signature: z.string().trim().min(1, 'is empty') },
  async run(context, { account, address, signature }) {
    const { kind, verifyOwner } = await getSignableEntry(context, account, address)
    const { openPoolsOf } = await import('./parts.ts')
    const pools = () => openPoolsOf(kind, context.config(), context)
    const proof = await authorizeByOwner(context.db, {
      ...{ accountId: account, address: address.address, signature },
      verify: (signed) => verifyOwner(signed, pools),
    })
    if ('refusal' in proof) throw new Refusal(proof.refusal)
    return { print: { ...shown(account, proof.entry), verifiedOn: proof.verifiedOn } }
  },
})

/** Commands on the entries of an account's address book. */
export const addressCommands: Readonly<Record<string, Command>> = {
  'address set': addressSet,
  'address challenge': addressChallenge,
  'address verify': addressVerify,
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

/** Refuses an address that is not in the book, and one of a kind whose signatures cannot be checked. */
async function getSignableEntry({ db }: AdminContext, accountId: string, { address }: WalletAddress) {
  await getAccount({ db }, accountId)
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) notInBook({ accountId, address })
  const kind = kindOf(address)
  if (!kind?.verifyOwner) {
    throw new Refusal(
      'Signatures are checked for addresses of EVM chains and Solana alone: use coffer-admin address set --owner-authorized true.',
    )
  }
  return { kind, verifyOwner: kind.verifyOwner }
}

function notInBook({ accountId, address }: { accountId: string; address: string }): never {
  throw new Refusal(`The address book of account ${accountId} has no ${address}.`)
}
