import { z } from 'zod'
import type { ChainTypes } from '../chains/chain-type.ts'
import { chainTypes } from '../chains/chain-types.ts'
import type { Address } from '../domain/address.ts'
import { type Account, findAccount, plans } from '../features/accounts/accounts.ts'
import type { Actor } from '../features/portal-users/audit.ts'
import { type AdminContext, Refusal } from './admin-command.ts'

/** Control characters, line breaks and direction marks: a terminal would show something else. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(255, 'is longer than 255 characters')
  .refine((text) => !INVISIBLE.test(text), 'has a control character')

/** Actor of commands in the audit log. */
export const OPERATOR: Actor = { userId: null, userName: 'coffer-admin', address: 'local' }

export const commandChainTypes: ChainTypes = chainTypes

export const { parse: parseAddress } = chainTypes.addresses

/** Wallet on a chain type that is read. */
export const address = z.string().transform((text, context): Address => {
  const parsed = parseAddress(text)
  if (parsed && chainTypes.ofWallet(parsed.address)) return parsed.address
  context.addIssue({ code: 'custom', message: 'is not the address of a wallet that can be read' })
  return z.NEVER
})

/** Token or native coin, as its chain spells it. */
export const tokenAddress = z.string().transform((text, context): Address => {
  const chainType = chainTypes.ofWallet(text)
  if (chainType) return chainType.spell(text)
  context.addIssue({ code: 'custom', message: 'is not an address' })
  return z.NEVER
})

export const plan = z.enum(plans, `must be one of ${plans.join(', ')}`)

export async function getAccount({ db }: Pick<AdminContext, 'db'>, id: string): Promise<Account> {
  return (await findAccount(db, id)) ?? noAccount(id)
}

export function noAccount(id: string): never {
  throw new Refusal(`There is no account ${id}.`)
}
