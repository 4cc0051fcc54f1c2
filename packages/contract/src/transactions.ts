import { z } from 'zod'
import { addressList, addressSchema, listOf, parseAddress } from './address.ts'
import { isDay } from './date.ts'
import { decimalOrUnknown, decimalString, integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { syncState } from './portfolio.ts'
import { booleanQuery, choiceQuery, integerQuery } from './query.ts'
import { text } from './text.ts'

/** What a transaction of a wallet can be called. */
export const TRANSACTION_TYPES = [
  'ADDLIQUIDITY',
  'AIRDROP',
  'APPROVAL',
  'BORROW',
  'BRIDGEIN',
  'BRIDGEOUT',
  'CLAIM',
  'COLLECT',
  'CLOSEVAULT',
  'DEPOSIT',
  'DONATION',
  'EXPENSE',
  'FAILED',
  'FOLLOW',
  'IGNORE',
  'INTERACTION',
  'LEND',
  'MINT',
  'MULTITYPE',
  'OPENVAULT',
  'REPAYVAULT',
  'REMOVELIQUIDITY',
  'SIGN',
  'SELFTRANSFER',
  'SPAM',
  'STAKE',
  'SWAP',
  'TRANSFERIN',
  'TRANSFEROUT',
  'UNDEFINED',
  'UNSTAKE',
  'UNWRAP',
  'VOTE',
  'WITHDRAW',
  'WRAP',
] as const

/** URLs of pictures, with `includeImages`. */
const images = { imgSmall: z.string().optional(), imgLarge: z.string().optional() }

/**
 * A token that moved, or gas that was paid (`isNativeAssetFees`). `costBasis` of what was received, or of what was given;
 * `closedPnl` of what was given. Without a price `priceSource` is null, and `price` and `value` are 0.
 */
export const transactionAsset = z.object({
  balance: decimalString,
  symbol: z.string(),
  name: z.string(),
  decimal: z.string(),
  price: decimalString,
  value: decimalString,
  priceSource: z.string().nullable(),
  contract: z.string(),
  chainKey: z.string(),
  chainContract: z.string(),
  explorerUrl: z.string(),
  from: z.string(),
  to: z.string(),
  isAssetIn: z.boolean(),
  isNativeAssetFees: z.boolean(),
  costBasis: decimalOrUnknown,
  totalCostBasis: decimalOrUnknown,
  closedPnl: decimalOrUnknown,
  nft: z.object({ tokenId: integerString }).optional(),
  ...images,
})
export type TransactionAsset = z.infer<typeof transactionAsset>

/** What nobody knows the protocol of has the key `unknown`. */
const namedProtocol = z.object({ key: z.string(), name: z.string(), ...images })

/**
 * A transaction as one wallet sees it. `value`: native coin that it moved, gas apart, in token units. `valueFiat`: USD of
 * what was received or of what was given, whichever is more. `fees`: gas in token units, paid by the wallet;
 * `nativeAssetFees`: the same as an asset. `valueFiat` and `feesFiat` are sums of what is priced; `unpriced` says that
 * something is not.
 */
export const transaction = z.object({
  address: z.string(),
  hash: z.string(),
  /** Everything listed is in a block; a call that was reverted there has failed. */
  confirmed: z.enum(['CONFIRMED', 'FAILED']),
  chain: z.object({ key: z.string(), name: z.string(), ...images }),
  timestamp: integerString,
  blockNumber: integerString,
  from: z.string(),
  to: z.string(),
  type: z.enum(TRANSACTION_TYPES),
  functionName: z.string(),
  value: decimalString,
  valueFiat: decimalString,
  fees: decimalString,
  feesFiat: decimalString,
  unpriced: z.literal(true).optional(),
  closedPnl: decimalOrUnknown,
  protocol: namedProtocol,
  /** A part of the protocol; none is told apart yet, so it is `unknown`. */
  subProtocol: namedProtocol,
  assetsIn: z.array(transactionAsset),
  assetsOut: z.array(transactionAsset),
  nativeAssetFees: transactionAsset,
  explorerUrl: z.string(),
})
export type Transaction = z.infer<typeof transaction>

/**
 * Blocks of a chain that were searched for a wallet; `complete`: nothing is missing in them. With a `reason` they were not
 * searched: the nodes have dropped their history (`pruned`), or do not serve logs (`not-offered`).
 */
export const transactionCoverage = z.object({
  address: z.string(),
  chain: z.string(),
  fromBlock: integerString,
  toBlock: integerString,
  complete: z.boolean(),
  reason: z.enum(['pruned', 'not-offered']).optional(),
})

const WALLETS_MAX = 10
const LIST_MAX = 100
const SEARCH_MAX = 255

const DAY_CHARS = 10
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/
const MS_PER_DAY = 86_400_000

/** A moment in ISO 8601, or a day; in Unix milliseconds. The day is its first millisecond, or as an end its last. */
function momentQuery(edge: 'start' | 'end') {
  return z
    .string({ error: 'must be given once' })
    .transform((value, context): number => {
      // Of a moment that no calendar has, Date.parse makes one of the next month.
      const isReal = isDay(value) || (MOMENT.test(value) && isDay(value.slice(0, DAY_CHARS)))
      const at = isReal ? Date.parse(value) : Number.NaN
      if (!Number.isNaN(at)) return edge === 'end' && isDay(value) ? at + MS_PER_DAY - 1 : at
      context.addIssue({ code: 'custom', message: 'must be a date (YYYY-MM-DD) or a time with its zone, in ISO 8601' })
      return z.NEVER
    })
    .meta({ wire: { type: 'string' } })
}

const nameList = (one: string) =>
  listOf<string>({ of: `${one}s`, one, accept: (part) => ({ address: part.toLowerCase() }), max: LIST_MAX }).optional()

const typeList = () => {
  const known: ReadonlySet<string> = new Set(TRANSACTION_TYPES)
  const accept = (part: string) => {
    const type = part.toUpperCase()
    return known.has(type) ? { address: type } : { refusal: `must be among ${TRANSACTION_TYPES.join(', ')}` }
  }
  return listOf<(typeof TRANSACTION_TYPES)[number]>({ of: 'types', one: 'type', accept, max: LIST_MAX }).optional()
}

const counterparties = () => {
  const accept = (part: string) => {
    const parsed = parseAddress(part)
    return parsed ? { address: parsed.address } : { refusal: 'must be wallet or contract addresses' }
  }
  return listOf<string>({ of: 'addresses', accept, max: LIST_MAX }).optional()
}

const shared = { tag: 'Transactions', status: 200, cost: 1, requires: 'portfolio', errors: 'titled' } as const

export const transactionEndpoints = defineEndpoints({
  listTransactions: {
    ...shared,
    method: 'GET',
    path: '/v1/transactions',
    summary: 'What wallets did, as far as it was synced; one item a wallet and transaction',
    bucket: 'portfolio',
    query: z.object({
      addresses: addressList({ accepts: ['evm', 'solana'], max: WALLETS_MAX }),
      limit: integerQuery({ min: 1, max: 250 }).default(50),
      offset: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
      sort: choiceQuery(['DESC', 'ASC']).default('DESC'),
      networks: nameList('chain key'),
      chain: nameList('chain key'),
      txTypes: typeList(),
      type: typeList(),
      protocols: nameList('protocol key'),
      hideSpam: booleanQuery(false),
      hideDust: booleanQuery(false),
      includeImages: booleanQuery(false),
      startDate: momentQuery('start').optional(),
      endDate: momentQuery('end').optional(),
      tokenId: z
        .string({ error: 'must be given once' })
        .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number')
        .optional(),
      interactingAddresses: counterparties(),
      initialSearchText: text({ min: 1, max: SEARCH_MAX }).optional(),
    }),
    response: z.object({
      transactions: z.array(transaction),
      coverage: z.array(transactionCoverage),
      /** Of each wallet, in request order; `never`: nothing of it is listed before `POST /v1/sync-transactions`. */
      syncs: z.array(z.object({ address: z.string(), state: syncState, reason: z.string().nullable() })),
    }),
  },
  syncTransactions: {
    ...shared,
    method: 'POST',
    path: '/v1/sync-transactions',
    summary:
      'Start to look for what a wallet did; 1 credit more for each started 250 new transactions. The call is free while a sync runs, and for 10 minutes after one that ended well',
    bucket: 'default',
    produces: 'text/plain',
    body: z.object({
      addresses: z
        .array(addressSchema({ accepts: ['evm', 'solana'] }))
        .min(1, 'must name an address')
        .max(1, 'must name a single address'),
    }),
    response: z.enum(['Address is syncing', 'Address already syncing', 'Address is synced']),
  },
})
