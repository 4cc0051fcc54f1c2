import { z } from 'zod'
import { type Addresses, listOf } from './address.ts'
import { isDay } from './date.ts'
import { decimalOrUnknown, decimalString, integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { displayNames, pnlReason, walletSync } from './portfolio.ts'
import { booleanQuery, choiceQuery, includeImages, integerQuery } from './query.ts'
import { text } from './text.ts'

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

const images = { imgSmall: z.string().optional(), imgLarge: z.string().optional() }

/**
 * `costBasis`: of what was received or given. `closedPnl`: of what was given. `pnlReason`: why one of them is `N/A`.
 */
export const transactionAsset = z
  .object({
    balance: decimalString,
    symbol: z.string(),
    name: z.string(),
    ...displayNames,
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
    pnlReason: pnlReason.optional(),
    nft: z.object({ tokenId: integerString }).meta({ id: 'Nft' }).optional(),
    ...images,
  })
  .meta({ id: 'TransactionAsset' })
export type TransactionAsset = z.infer<typeof transactionAsset>

/**
 * With a `basis` no list names the called contract. `factory`: a factory of the protocol confirms that it made the
 * contract. `implementation`: the contract is a proxy for one of the protocol. `name`: its own name begins with the
 * protocol's, which anyone can write.
 */
const namedProtocol = z
  .object({
    key: z.string(),
    name: z.string(),
    basis: z.enum(['factory', 'implementation', 'name']).optional(),
    ...images,
  })
  .meta({ id: 'NamedProtocol' })

/**
 * `fees`: in units of the coin or token that paid; `nativeAssetFees`: the same as an asset. `valueFiat` and `feesFiat`
 * sum what has a price.
 */
export const transaction = z
  .object({
    address: z.string(),
    hash: z.string(),
    /** `FAILED`: the call was reverted in its block. */
    confirmed: z.enum(['CONFIRMED', 'FAILED']),
    chain: z.object({ key: z.string(), name: z.string(), ...images }).meta({ id: 'NamedChain' }),
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
    pnlReason: pnlReason.optional(),
    protocol: namedProtocol,
    subProtocol: namedProtocol,
    assetsIn: z.array(transactionAsset),
    assetsOut: z.array(transactionAsset),
    nativeAssetFees: transactionAsset,
    explorerUrl: z.string(),
  })
  .meta({ id: 'Transaction' })
export type Transaction = z.infer<typeof transaction>

/**
 * `pruned`: not searched, nodes have dropped the history. `not-offered`: not searched, nodes serve no logs.
 * `replaced-chain`: the only endpoint serves a chain without these blocks; their transactions may be off the chain.
 */
export const transactionCoverage = z
  .object({
    address: z.string(),
    chain: z.string(),
    fromBlock: integerString,
    toBlock: integerString,
    complete: z.boolean(),
    reason: z.enum(['pruned', 'not-offered', 'replaced-chain']).optional(),
  })
  .meta({ id: 'TransactionCoverage' })

const WALLETS_MAX = 10
const LIST_MAX = 100
const SEARCH_MAX = 255

const DAY_CHARS = 10
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/
const MS_PER_DAY = 86_400_000

/** Returns Unix milliseconds. A day is its first millisecond, or as an end its last. */
function momentQuery(edge: 'start' | 'end') {
  return z
    .string({ error: 'must be given once' })
    .transform((value, context): number => {
      // `Date.parse` turns a day that does not exist into one of the next month.
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

type TransactionType = (typeof TRANSACTION_TYPES)[number]

/** Words that clients send for types; `BURN` matches nothing. */
const TYPE_WORDS: Readonly<Record<string, readonly TransactionType[]>> = {
  TRANSFER: ['TRANSFERIN', 'TRANSFEROUT'],
  APPROVE: ['APPROVAL'],
  BRIDGE: ['BRIDGEIN', 'BRIDGEOUT'],
  REPAY: ['REPAYVAULT'],
  'LIQUIDITY-ADD': ['ADDLIQUIDITY'],
  'LIQUIDITY-REMOVE': ['REMOVELIQUIDITY'],
  BURN: [],
}

const typeList = () => {
  const known = new Map<string, readonly TransactionType[]>([
    ...TRANSACTION_TYPES.map((type) => [type, [type]] as const),
    ...Object.entries(TYPE_WORDS),
  ])
  const accept = (part: string) => {
    const word = part.toUpperCase()
    return known.has(word) ? { address: word } : { refusal: `must be among ${TRANSACTION_TYPES.join(', ')}` }
  }
  return listOf<string>({ of: 'types', one: 'type', accept, max: LIST_MAX })
    .transform((words) => [...new Set(words.flatMap((word) => known.get(word) ?? []))])
    .meta({ wire: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: LIST_MAX } })
    .optional()
}

const counterparties = ({ parse }: Addresses) => {
  const accept = (part: string) => {
    const parsed = parse(part)
    return parsed ? { address: parsed.address } : { refusal: 'must be wallet or contract addresses' }
  }
  return listOf<string>({ of: 'addresses', accept, max: LIST_MAX }).optional()
}

export const transactionFilter = (addresses: Addresses) => ({
  addresses: addresses
    .list({ ...addresses.wallets, max: WALLETS_MAX })
    .describe(addresses.describe(addresses.wallets, WALLETS_MAX)),
  networks: nameList('chain key').describe('Only these chains, by key, alias or chain id.'),
  chain: nameList('chain key').describe('The same as `networks`.'),
  txTypes: typeList().describe('Only these types.'),
  type: typeList().describe('The same as `txTypes`.'),
  protocols: nameList('protocol key').describe('Only these protocols.'),
  hideSpam: booleanQuery(false).describe('Excludes transactions of the type SPAM.'),
  hideDust: booleanQuery(false).describe('Excludes transactions that moved less than 0.01 USD.'),
  startDate: momentQuery('start').optional().describe('Not before this time or day.'),
  endDate: momentQuery('end').optional().describe('Not after this time or the end of this day.'),
  tokenId: z
    .string({ error: 'must be given once' })
    .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number')
    .optional()
    .describe('Only transactions that moved the NFT with this token ID.'),
  interactingAddresses: counterparties(addresses).describe(
    'Only transactions in which one of these addresses took part.',
  ),
  initialSearchText: text({ min: 1, max: SEARCH_MAX })
    .optional()
    .describe(
      'Text in the hash, in the symbol or name of a token, or in the protocol or function; case does not matter.',
    ),
})

const shared = { tag: 'Transactions', status: 200, cost: 1, requires: 'portfolio', errors: 'titled' } as const

export const transactionEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    listTransactions: {
      ...shared,
      method: 'GET',
      path: '/v1/transactions',
      summary: 'List transactions',
      description:
        'Returns the transactions that `POST /v1/sync-transactions` has found, one item per wallet and transaction. `coverage` lists the searched blocks; `syncs` has the state of each wallet by chain, and the next step. This call starts no search: before the first sync of a wallet the list is empty, and its `syncs` has the state `never`.',
      bucket: 'portfolio',
      query: z.object({
        ...transactionFilter(addresses),
        limit: integerQuery({ min: 1, max: 250 }).default(50).describe('Items per answer.'),
        offset: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0).describe('Items to skip.'),
        sort: choiceQuery(['DESC', 'ASC'])
          .default('DESC')
          .describe('Order by time: newest first (`DESC`) or oldest first (`ASC`).'),
        includeImages,
      }),
      response: z.object({
        transactions: z.array(transaction),
        coverage: z.array(transactionCoverage),
        /** In request order. */
        syncs: z.array(walletSync),
      }),
    },
    syncTransactions: {
      ...shared,
      method: 'POST',
      path: '/v1/sync-transactions',
      summary: 'Sync transactions',
      description:
        'Starts a search for the transactions of a wallet on every chain of its type. Costs 1 credit, plus 1 per 250 new stored transactions (rounded up). The call is free while a sync runs, and for 10 minutes after a successful one. Without credits the sync pauses and keeps what is paid for.',
      bucket: 'default',
      produces: 'text/plain',
      body: z.object({
        addresses: z
          .array(addresses.one(addresses.wallets))
          .min(1, 'must name an address')
          .max(1, 'must name a single address'),
      }),
      response: z.enum(['Address is syncing', 'Address already syncing', 'Address is synced']),
    },
  })
