import { z } from 'zod'
import type { Addresses } from './address.ts'
import { COST_METHODS } from './cost-methods.ts'
import { dayQuery } from './date.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { booleanQuery, choiceQuery } from './query.ts'
import { transactionFilter } from './transactions.ts'

/** Coffer's own columns and JSON Lines, then other programs' import formats. */
export const TRANSACTION_FORMATS = [
  'COFFER',
  'JSONL',
  'KOINLY',
  'COINTRACKING',
  'COINTRACKER',
  'COINLEDGER',
  'ZENLEDGER',
  'TOKENTAX',
  'SUMM',
  'TAXBIT',
  'CRYPTIO',
  'BLOCKPIT',
  'BITWAVE',
  'QUICKBOOKS',
] as const
export type TransactionFormat = (typeof TRANSACTION_FORMATS)[number]

/** `FORM_8949`: that United States form. `GERMANY`: FIFO with the term of one year. */
export const GAIN_FORMATS = ['COFFER', 'JSONL', 'FORM_8949', 'GERMANY'] as const
export type GainFormat = (typeof GAIN_FORMATS)[number]

/** Credits per file of any length: its content was paid for when it was searched. */
const FILE_CREDITS = 10
const WALLETS_MAX = 10

const file = {
  tag: 'Exports',
  method: 'GET',
  status: 200,
  bucket: 'portfolio',
  requires: 'portfolio',
  errors: 'titled',
  response: z.string(),
} as const

const wallets = ({ list, wallets, describe }: Addresses) =>
  list({ ...wallets, max: WALLETS_MAX }).describe(describe(wallets, WALLETS_MAX))

export const exportEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    exportTransactions: {
      ...file,
      path: '/v1/transactions/export',
      summary: 'Get transactions as a file',
      description:
        'All transactions that the filters of `GET /v1/transactions` leave, the oldest first, as a file: a line a movement in Coffer’s own columns, a transaction a line in JSON Lines, or the columns that another program imports. JSON Lines end with a line `{"complete":true,…}`. `X-Data-Complete: false`: a wallet or chain is not searched to the end; Coffer’s own columns and JSON Lines name it. A file that breaks off resets the connection, and costs nothing. An account downloads three files at once; a further one is 429.',
      cost: FILE_CREDITS,
      streams: ['text/csv', 'application/x-ndjson'],
      varyingHeaders: completeness,
      query: z.object({
        ...transactionFilter(addresses),
        format: choiceQuery(TRANSACTION_FORMATS)
          .default('COFFER')
          .describe('The columns: Coffer’s own, JSON Lines, or those of another program’s import.'),
      }),
    },
    exportGains: {
      ...file,
      path: '/v1/gains/export',
      summary: 'Get realised gains as a file',
      description:
        'Each sale of a span with the lots that it took, as a file: days of acquisition and sale, cost, proceeds and gain in USD, with all digits. What is not known is `N/A`, and `missing` says why. Lots are of one wallet and chain each; those that moved between wallets of the account keep their day and cost. 409 names wallets whose history is not whole; `partial=true` leaves them out, with a line for each and `X-Data-Complete: false`.',
      cost: FILE_CREDITS,
      failures: [409],
      streams: ['text/csv', 'application/x-ndjson'],
      varyingHeaders: completeness,
      query: z
        .object({
          addresses: wallets(addresses),
          partial: booleanQuery(false).describe('Leaves out wallets whose history is not whole, and says so.'),
          from: dayQuery.describe('The first day (UTC).'),
          to: dayQuery.describe('The first day after the span.'),
          method: choiceQuery(COST_METHODS).default('FIFO').describe('Which lots leave first.'),
          format: choiceQuery(GAIN_FORMATS)
            .default('COFFER')
            .describe('`FORM_8949` has days and terms as that form, `GERMANY` FIFO with the term of one year.'),
        })
        .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' })
        .refine(({ format, method }) => format !== 'GERMANY' || method === 'FIFO', {
          path: ['method'],
          message: 'must be FIFO for GERMANY',
        }),
    },
  })

/** For people; each page is whole in one file. */
export const statementEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    exportHoldings: {
      ...file,
      path: '/v1/holdings/export',
      summary: 'Get a statement of holdings',
      description:
        'What wallets held on a day, or hold now, as a page of HTML that prints: each asset and debt with balance, price, its source and value, all digits; block and time of each chain; what is missing, old or unpriced, at the top. 404 names a wallet that has no snapshot of the day. The page has no script and loads nothing.',
      cost: FILE_CREDITS,
      failures: [404, 502],
      streams: ['text/html'],
      varyingHeaders: completeness,
      headers: { 'content-security-policy': "sandbox; frame-ancestors 'none'" },
      query: z.object({
        addresses: wallets(addresses),
        date: dayQuery
          .optional()
          .describe(
            'The day (UTC), by its snapshots, as `GET /v1/historical` has them. Unless given, wallets are read now, for up to 30 seconds.',
          ),
      }),
    },
  })
