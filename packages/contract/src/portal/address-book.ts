import { z } from 'zod'
import { addressSchema, shippedAddresses } from '../address.ts'
import { addressBookEntry } from '../address-book.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const entry = addressBookEntry.extend({
  /** Its owner has signed for it: keys cannot remove it. */
  ownerAuthorized: z.boolean(),
})

const shared = { ...own, tag: 'Address book' } as const
const root = '/portal/api/accounts/:account/address-book'
const params = z.object({ address: addressSchema(shippedAddresses.any) })

export const portalAddressBookEndpoints = defineEndpoints({
  listEntries: {
    ...shared,
    method: 'GET',
    path: root,
    summary: 'List saved addresses and their proofs of ownership',
    requires: { who: 'viewer' },
    response: z.array(entry),
  },
  removeEntry: {
    ...shared,
    method: 'DELETE',
    path: `${root}/:address`,
    summary: 'Remove a saved address, even with a paid plan or proved ownership',
    requires: { who: 'owner', proof: true },
    failures: [404],
    params,
    response: z.object({}),
  },
  challengeOwner: {
    ...shared,
    method: 'POST',
    path: `${root}/:address/challenge`,
    summary: 'Create the text that the owner of an address signs',
    description: 'Voids an earlier text. The text is valid for an hour.',
    requires: { who: 'owner' },
    status: 201,
    failures: [404],
    params,
    body: z.object({}),
    response: z.object({ text: z.string(), expiresAt: moment }),
  },
  verifyOwner: {
    ...shared,
    method: 'POST',
    path: `${root}/:address/signature`,
    summary: "Check the owner's signature of the open challenge",
    description: 'An entry with proved ownership cannot be removed with a key.',
    requires: { who: 'owner', proof: true },
    failures: [404],
    params,
    body: z.object({ signature: z.string().trim().min(1).max(20_000) }),
    /** `verifiedOn`: the chain whose contract agreed; null: the key signed. */
    response: z.object({ entry, verifiedOn: z.string().nullable() }),
  },
})
