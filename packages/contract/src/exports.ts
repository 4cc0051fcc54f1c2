import { z } from 'zod'
import type { Addresses } from './address.ts'
import { COST_METHODS } from './cost-methods.ts'
import { dayOrInstantQuery, dayQuery } from './date.ts'
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
        'Returns all transactions that match the filters of `GET /v1/transactions` as a file, oldest first. The file has one line per movement in Coffer’s own columns, one line per transaction in JSON Lines, or the import columns of another program. JSON Lines end with a line `{"complete":true,…}`. `X-Data-Complete: false`: the sync of a wallet or chain is incomplete; Coffer’s own columns and JSON Lines name it. If a file breaks off, the connection is reset and the file costs nothing. An account can download three files at once; another one gets 429.',
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
        'Returns each sale of a period with the lots it used, as a file: days of acquisition and sale, cost, proceeds and gain in USD, with all digits. Unknown figures are `N/A`, and `missing` has the reason. Each lot belongs to one wallet and chain; lots that moved between wallets of the account keep their day and cost. 409 names wallets with an incomplete history; `partial=true` excludes them, with a line for each and `X-Data-Complete: false`.',
      cost: FILE_CREDITS,
      failures: [409],
      streams: ['text/csv', 'application/x-ndjson'],
      varyingHeaders: completeness,
      query: z
        .object({
          addresses: wallets(addresses),
          partial: booleanQuery(false).describe('Excludes wallets with an incomplete history, and names them.'),
          from: dayQuery.describe('The first day (UTC).'),
          to: dayQuery.describe('The first day after the period (UTC).'),
          method: choiceQuery(COST_METHODS).default('FIFO').describe('Which lots are sold first.'),
          format: choiceQuery(GAIN_FORMATS)
            .default('COFFER')
            .describe(
              '`FORM_8949` has the days and terms of that form; `GERMANY` uses FIFO with the one-year holding period.',
            ),
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
        'Returns the holdings of wallets on a day, at a time, or now, as a printable HTML page. It lists each asset and debt with balance, price, price source and value in all digits, and block and time of each chain. Missing, stale and unpriced parts are at the top. 404 names a wallet without a snapshot of the day; 422: no node has the state of that time. The page has no script and loads nothing.',
      cost: FILE_CREDITS,
      failures: [404, 422, 502],
      streams: ['text/html'],
      varyingHeaders: completeness,
      headers: { 'content-security-policy': "sandbox; frame-ancestors 'none'" },
      query: z.object({
        addresses: wallets(addresses),
        date: dayOrInstantQuery
          .optional()
          .describe(
            'A day (UTC), from the snapshots of `GET /v1/historical`, or a time with a zone: the last block of each chain at or before it, as in `GET /v1/portfolio/at-block`. Without it, wallets are read now, for up to 30 seconds.',
          ),
      }),
    },
  })
