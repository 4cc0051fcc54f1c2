import { z } from 'zod'
import type { Addresses } from './address.ts'
import { defineEndpoints } from './endpoint.ts'
import { text } from './text.ts'

const ENTRIES_MAX = 100
const LABEL_MAX = 255

export const ownData = { cost: 1, bucket: 'portfolio', requires: 'portfolio', errors: 'coded' } as const

export const addressBookEntry = z
  .object({
    address: z.string(),
    label: z.string(),
    plan: z.enum(['FREE', 'LITE', 'PRO']),
    expiresAt: z.iso.datetime({ precision: 3 }).nullable(),
    isPaid: z.boolean(),
  })
  .meta({ id: 'AddressBookEntry' })
export type AddressBookEntry = z.infer<typeof addressBookEntry>

/** Refuses a list that has a normalised address twice. */
export function eachOnce<T>(addressOf: (item: T) => string) {
  return (items: readonly T[], context: z.core.$RefinementCtx<readonly T[]>): void => {
    const seen = new Set<string>()
    for (const address of items.map(addressOf)) {
      if (seen.has(address)) context.addIssue({ code: 'custom', message: `${address} is listed twice` })
      seen.add(address)
    }
  }
}

const book = z.object({ data: z.array(addressBookEntry) })

const entriesOf = (addresses: Addresses) =>
  z
    .array(z.object({ address: addresses.one(addresses.any), label: text({ max: LABEL_MAX }).default('') }), {
      error: 'must be a list of entries',
    })
    .min(1, 'must have at least one entry')
    .max(ENTRIES_MAX, `must have at most ${ENTRIES_MAX} entries`)
    .superRefine(eachOnce(({ address }) => address))

export function addressBookEndpoints(addresses: Addresses) {
  const entryPath = z.object({ address: addresses.one(addresses.any).describe('A saved address.') })
  return defineEndpoints({
    listAddressBook: {
      ...ownData,
      method: 'GET',
      path: '/v1/addressbook',
      summary: 'List saved addresses',
      description: 'Returns the saved addresses of the account, oldest first.',
      tag: 'Address book',
      status: 200,
      response: book,
    },
    addToAddressBook: {
      ...ownData,
      method: 'POST',
      path: '/v1/addressbook',
      summary: 'Save addresses',
      description:
        'Saves all of the addresses or none. An address that is already saved keeps its label and is not an error. Returns the whole address book.',
      tag: 'Address book',
      status: 200,
      failures: [422],
      body: z.object({ entries: entriesOf(addresses) }),
      response: book,
    },
    relabelAddress: {
      ...ownData,
      method: 'PATCH',
      path: '/v1/addressbook/:address',
      summary: 'Relabel an address',
      description: 'Changes the label of a saved address; an empty label clears it.',
      tag: 'Address book',
      status: 200,
      failures: [404],
      params: entryPath,
      body: z.object({ label: text({ max: LABEL_MAX }) }),
      response: z.object({ data: addressBookEntry }),
    },
    removeFromAddressBook: {
      ...ownData,
      method: 'DELETE',
      path: '/v1/addressbook/:address',
      summary: 'Remove an address',
      description:
        'Removes a saved address from the address book and from its bundles; empty bundles are deleted. An address with a paid plan or with proved ownership cannot be removed: 409.',
      tag: 'Address book',
      status: 204,
      failures: [404, 409],
      params: entryPath,
      response: z.void(),
    },
  })
}
