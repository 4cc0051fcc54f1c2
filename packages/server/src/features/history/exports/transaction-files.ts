import type { exportEndpoints, FileAnswer, RequestOf } from '@coffer/contract'
import type { Address } from '../../../domain/address.ts'
import type { Clock } from '../../../lib/clock.ts'
import { presentTransaction } from '../transactions/present-transaction.ts'
import type { TransactionViews } from '../transactions/transaction-views.ts'
import type { Missing } from './csv.ts'
import { csvFormats } from './formats/formats.ts'

type Query = RequestOf<ReturnType<typeof exportEndpoints>['exportTransactions']>['query']

export type TransactionFiles = ReturnType<typeof createTransactionFiles>

export function createTransactionFiles({
  views,
  versionOf,
  clock,
}: {
  views: Pick<TransactionViews, 'check' | 'walk' | 'searchedOf'>
  versionOf(wallets: readonly Address[]): Promise<string>
  clock: Clock
}) {
  /** Excludes transactions after the request. */
  const until = (query: Query): Query => ({ ...query, endDate: Math.min(query.endDate ?? clock.now(), clock.now()) })

  async function* csv(
    accountId: string,
    query: Query,
    { header, linesOf, leftOutLine }: (typeof csvFormats)['COFFER'],
    missing: readonly Missing[],
  ) {
    yield header + missing.map((each) => leftOutLine?.(each) ?? '').join('')
    for await (const page of views.walk(accountId, query)) yield page.map((shown) => linesOf(shown)).join('')
  }

  /** The last line reports completeness, search progress and changes meanwhile. */
  async function* jsonLines(accountId: string, query: Query) {
    const version = await versionOf(query.addresses)
    let rows = 0
    for await (const page of views.walk(accountId, query)) {
      rows += page.length
      yield page.map((shown) => `${JSON.stringify(presentTransaction(shown))}\n`).join('')
    }
    const [searched, after] = await Promise.all([views.searchedOf(query.addresses), versionOf(query.addresses)])
    yield `${JSON.stringify({ complete: true, rows, changed: after !== version, ...searched })}\n`
  }

  return {
    check: views.check,
    async open(accountId: string, query: Query): Promise<FileAnswer> {
      const { format } = query
      const asked = until(query)
      const name = `transactions-${format.toLowerCase()}`
      const missing = missingOf(await views.searchedOf(query.addresses))
      const isComplete = missing.length === 0
      if (format === 'JSONL') {
        return { type: 'application/x-ndjson', name: `${name}.jsonl`, parts: jsonLines(accountId, asked), isComplete }
      }
      const parts = csv(accountId, asked, csvFormats[format], missing)
      return { type: 'text/csv', name: `${name}.csv`, parts, isComplete }
    },
  }
}

const missingOf = ({ syncs }: Awaited<ReturnType<TransactionViews['searchedOf']>>): Missing[] =>
  syncs.flatMap(({ address: wallet, state, chains }): Missing[] => {
    if (chains.length === 0) return [{ wallet, reason: state }]
    return chains.flatMap((one) => (one.state === 'done' ? [] : [{ wallet, chain: one.chain, reason: one.state }]))
  })
