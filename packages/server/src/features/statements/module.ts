import type { endpoints, FileAnswer, RequestOf } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { dayOf } from '../../domain/day.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Module, Ports } from '../module.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import type { ShownParts } from '../portfolio/present-portfolio.ts'
import { type PortfolioState, type Presentation, presentIncomplete } from '../portfolio/present-portfolio.ts'
import { checkMoment, getAtBlock } from '../snapshots/at-block.ts'
import { getSnapshot } from '../snapshots/snapshots.ts'
import type { Names } from './statement-page.ts'
import { statementPage } from './statement-page.ts'

type OwnPorts = Ports & { showing: { ofAll(shown: ShownParts): Presentation } }

export function statementModule({ database: { reads }, portfolios, showing, ...ports }: OwnPorts) {
  const names = showing.ofAll({ images: false, explorerUrls: false, flatAssets: false, origin: '' })
  const atBlock = { ...ports, db: reads }
  const stateOn = ({ accountId, address, date }: WalletThen) =>
    typeof date === 'number'
      ? getAtBlock(atBlock, { accountId, wallet: address, moment: { date } })
      : getSnapshot(reads, { accountId, address, date })
  const context = { getState: portfolios.getState, stateOn, names, clock: ports.clock }
  return {
    handlers: {
      exportHoldings: {
        prepare({ query: { addresses, date } }) {
          if (typeof date !== 'string') portfolios.check(addresses)
          if (typeof date === 'number') checkMoment(atBlock, addresses, { date })
        },
        handle: ({ query, caller }) => openStatement(context, caller.accountId, query),
      },
    },
  } satisfies Module
}

/** `date`: a day, or Unix seconds. */
type WalletThen = { accountId: string; address: Address; date: string | number }

type Query = RequestOf<(typeof endpoints)['exportHoldings']>['query']

type StatementContext = {
  getState: Portfolios['getState']
  stateOn(asked: WalletThen): Promise<PortfolioState>
  names: Names
  clock: Clock
}

/**
 * All or none. Throws NOT_FOUND without a snapshot, STATE_NOT_AVAILABLE without a state, UPSTREAM_UNAVAILABLE if a
 * wallet was never read.
 */
export async function openStatement(
  { getState, stateOn, names, clock }: StatementContext,
  accountId: string,
  { addresses, date }: Query,
): Promise<FileAnswer> {
  const wallets = await Promise.all(
    addresses.map(async (address) => {
      if (date !== undefined) return stateOn({ accountId, address, date })
      return (await getState(address, true)).state
    }),
  )
  const madeAt = clock.now()
  const name = `holdings-${typeof date === 'string' ? date : dayOf(date ?? madeAt / 1_000)}.html`
  const isComplete = wallets.every((state) => presentIncomplete(state).length === 0)
  return { type: 'text/html', name, parts: statementPage({ date, madeAt, wallets }, names), isComplete }
}
