import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createFindTokens } from '../../wallets/open-reading.ts'
import type { Peppers } from '../keys/peppers.ts'
import type { Module, Ports } from '../module.ts'
import { createApprovalSearches } from './approval-search.ts'
import { createApprovalStore } from './approval-store.ts'
import { type ApprovalsContext, listApprovals, startOf } from './approvals.ts'
import { createCursors } from './cursors.ts'

export function approvalModule({
  database: { db },
  reading,
  peppers,
  iconUrls,
  clock,
  logger: log,
}: Ports & { peppers: Peppers }) {
  const store = createApprovalStore(db)
  const readingOf = (chain: string) => reading.readingOf(chain)?.approvals
  const context: ApprovalsContext = {
    store,
    searches: createApprovalSearches({ readingOf, store, clock, log }),
    cursors: createCursors(cursorSecrets(peppers)),
    readingOf,
    findTokens: createFindTokens(reading),
    readTokens: reading.readTokens,
    noteUse: reading.noteUse,
  }
  return {
    handlers: {
      listApprovals: {
        prepare: ({ params, query }) => void startOf(context, { ...params, ...query }),
        handle: ({ params, query, origin }) => listApprovals(context, { ...params, ...query }, iconUrls(origin)),
      },
    },
  } satisfies Module
}

/** The peppers are shared by all processes of an installation. */
function cursorSecrets([first, ...others]: Peppers): readonly [KeyObject, ...KeyObject[]] {
  const secretOf = ({ secret }: Peppers[number]) =>
    createSecretKey(createHmac('sha256', secret).update('coffer cursors').digest())
  return [secretOf(first), ...others.map(secretOf)]
}
