import type { endpoints, FileAnswer, RequestOf } from '@coffer/contract'
import { dayOf } from '../../domain/day.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Module, Ports } from '../module.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import type { ShownParts } from '../portfolio/present-portfolio.ts'
import { type PortfolioState, type Presentation, presentIncomplete } from '../portfolio/present-portfolio.ts'
import { getSnapshot, type WalletDay } from '../snapshots/snapshots.ts'
import type { Names } from './statement-page.ts'
import { statementPage } from './statement-page.ts'

type OwnPorts = Ports & { showing: { ofAll(shown: ShownParts): Presentation } }

export function statementModule({ database: { reads }, portfolios, showing, clock }: OwnPorts) {
  const names = showing.ofAll({ images: false, explorerUrls: false, flatAssets: false, origin: '' })
  const snapshotOf = (asked: WalletDay) => getSnapshot(reads, asked)
  const context = { getState: portfolios.getState, snapshotOf, names, clock }
  return {
    handlers: {
      exportHoldings: {
        prepare({ query: { addresses, date } }) {
          if (date === undefined) portfolios.check(addresses)
        },
        handle: ({ query, caller }) => openStatement(context, caller.accountId, query),
      },
    },
  } satisfies Module
}

type Query = RequestOf<(typeof endpoints)['exportHoldings']>['query']

type StatementContext = {
  getState: Portfolios['getState']
  snapshotOf(asked: WalletDay): Promise<PortfolioState>
  names: Names
  clock: Clock
}

/** All or none. Throws NOT_FOUND without a snapshot, UPSTREAM_UNAVAILABLE if a wallet was never read. */
export async function openStatement(
  { getState, snapshotOf, names, clock }: StatementContext,
  accountId: string,
  { addresses, date }: Query,
): Promise<FileAnswer> {
  const wallets = await Promise.all(
    addresses.map(async (address) => {
      if (date !== undefined) return snapshotOf({ accountId, address, date })
      return (await getState(address, true)).state
    }),
  )
  const madeAt = clock.now()
  const name = `holdings-${date ?? dayOf(madeAt / 1_000)}.html`
  const isComplete = wallets.every((state) => presentIncomplete(state).length === 0)
  return { type: 'text/html', name, parts: statementPage({ date, madeAt, wallets }, names), isComplete }
}
