import type { endpoints, FileAnswer, RequestOf, SyncProgress } from '@coffer/contract'
import type { Address } from '../../../domain/address.ts'
import { versionOf } from '../store/history-changes.ts'
import { presentTransaction } from '../transactions/present-transaction.ts'
import { findSearched, type TransactionsContext, walkShown } from '../transactions/transaction-views.ts'
import type { Missing } from './csv.ts'
import { csvFormatOf } from './formats/formats.ts'

type Query = RequestOf<(typeof endpoints)['exportTransactions']>['query']

export async function openTransactions(
  context: TransactionsContext,
  accountId: string,
  query: Query,
): Promise<FileAnswer> {
  const { format, addresses, endDate } = query
  const now = context.clock.now()
  const asked = { ...query, endDate: Math.min(endDate ?? now, now) }
  const name = `transactions-${format.toLowerCase()}`
  const missing = missingOf((await findSearched(context, addresses)).syncs)
  const isComplete = missing.length === 0
  if (format === 'JSONL') {
    const parts = jsonLines(context, accountId, asked)
    return { type: 'application/x-ndjson', name: `${name}.jsonl`, parts, isComplete }
  }
  const parts = csv(context, accountId, asked, format, missing)
  return { type: 'text/csv', name: `${name}.csv`, parts, isComplete }
}

async function* csv(
  context: TransactionsContext,
  accountId: string,
  query: Query,
  format: Exclude<Query['format'], 'JSONL'>,
  missing: readonly Missing[],
) {
  const { header, linesOf, leftOutLine } = csvFormatOf(format)
  yield header + missing.map((each) => leftOutLine?.(each) ?? '').join('')
  for await (const page of walkShown(context, accountId, query)) yield page.map((shown) => linesOf(shown)).join('')
}

async function* jsonLines(context: TransactionsContext, accountId: string, query: Query) {
  const { db } = context
  const version = await versionOf(db, query.addresses)
  let rows = 0
  for await (const page of walkShown(context, accountId, query)) {
    rows += page.length
    yield page.map((shown) => `${JSON.stringify(presentTransaction(shown))}\n`).join('')
  }
  const searched = await findSearched(context, query.addresses)
  const changed = (await versionOf(db, query.addresses)) !== version
  yield `${JSON.stringify({ complete: true, rows, changed, ...searched })}\n`
}

const missingOf = (syncs: readonly (SyncProgress & { address: Address })[]): Missing[] =>
  syncs.flatMap(({ address: wallet, state, chains }): Missing[] => {
    if (chains.length === 0) return [{ wallet, reason: state }]
    return chains.flatMap((one) => (one.state === 'done' ? [] : [{ wallet, chain: one.chain, reason: one.state }]))
  })
