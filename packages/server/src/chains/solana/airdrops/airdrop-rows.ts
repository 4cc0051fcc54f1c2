import { z } from 'zod'
import { isUrl } from '../../../lib/is-url.ts'
import { isSolanaAddress } from '../codec/address.ts'
import { distributorPrograms } from '../distributors/distributor-programs.ts'

const programs = distributorPrograms.map(({ program }) => program)

const address = z.string().refine(isSolanaAddress, 'must be a Solana address')
const url = z.string().refine((text) => isUrl(text, ['http:', 'https:']), 'must be an http or https URL')
const path = z.array(z.string().min(1)).max(8).describe('Names of nested fields; an empty list is the answer itself.')
const text = z.string().trim().min(1)
const seconds = z.int().min(0).describe('Unix seconds.')

const airdrop = {
  key: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _, beginning with a letter')
    .describe('Names the source if it fails.'),
  protocol: z.strictObject({
    key: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _'),
    name: text.max(128),
  }),
  title: text.max(128).describe('Title of the airdrop, e.g. `Season 3`.'),
  program: z.enum(programs).describe('The merkle distributor program that pays.'),
  mint: address.exactOptional().describe('The token; distributors of other tokens are refused.'),
  token: z
    .strictObject({ symbol: text.max(64), name: text.max(128) })
    .exactOptional()
    .describe('Name of the token while it is unlisted.'),
  window: z
    .strictObject({ from: seconds.exactOptional(), until: seconds.exactOptional() })
    .exactOptional()
    .describe('Period of claims; after it the source is not queried.'),
  link: url.describe('Where to claim; `{distributor}` stands for its address.'),
}

const allocation = z
  .strictObject({
    kind: z.literal('allocation'),
    ...airdrop,
    file: text.describe('Path of a list: `address,unlocked,locked` in base units, in the order of the tree.'),
    distributor: address.describe('The distributor whose root the list must have.'),
    root: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
      .exactOptional()
      .describe('The expected root: the start refuses a list with another one.'),
  })
  .describe('An airdrop whose complete list the operator has.')

const httpProof = z
  .strictObject({
    kind: z.literal('http-proof'),
    ...airdrop,
    url: url.describe(
      'Requested with GET; `{owner}` stands for the wallet, `{distributor}` for one from the directory.',
    ),
    list: path.exactOptional().describe('Path to a list of claims; absent: the answer is one claim.'),
    fields: z.strictObject({
      unlocked: path,
      locked: path.exactOptional(),
      proof: path,
      mint: path.exactOptional(),
      distributor: path.exactOptional(),
    }),
    distributor: address.exactOptional().describe('The only distributor, if answers do not name it.'),
    directory: z
      .strictObject({ url, list: path, distributor: path, limit: z.int().min(1).max(1_000) })
      .exactOptional()
      .describe('Lists the distributors to query.'),
    none: z
      .strictObject({ text: z.literal(true).exactOptional(), field: path.exactOptional() })
      .exactOptional()
      .describe('How the API says that a wallet has no claim, in addition to 404.'),
  })
  .refine(({ fields, distributor }) => fields.distributor || distributor, 'needs fields.distributor or distributor')
  .describe('An API that returns the claims of a wallet with their proofs. It learns which wallets are read.')

export const airdropRow = z.discriminatedUnion('kind', [allocation, httpProof])
