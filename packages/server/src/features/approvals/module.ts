import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { approvalEndpoints } from '@coffer/contract'
import type { ApprovalReading } from '../../chains/approval-reading.ts'
import type { Handlers } from '../../http/mount.ts'
import { createFindTokens } from '../../wallets/open-reading.ts'
import type { IconUrls } from '../icons/icons.ts'
import type { Peppers } from '../keys/peppers.ts'
import type { Module, Ports } from '../module.ts'
import { createApprovalSearches } from './approval-search.ts'
import { createApprovalStore } from './approval-store.ts'
import { type ApprovalViews, createApprovalViews } from './approval-views.ts'
import { createApprovals, createReadBlockTimes } from './approvals.ts'
import { createReadAssets } from './approved-assets.ts'
import { createCursors } from './cursors.ts'

export function approvalModule({
  database: { db },
  reading: { readingOf: reading, enabled, knownTokens, readTokens, noteUse },
  peppers,
  iconUrls,
  clock,
  logger: log,
}: Pick<Ports, 'database' | 'reading' | 'iconUrls' | 'clock' | 'logger'> & { peppers: Peppers }) {
  const store = createApprovalStore(db)
  const readingOf = (chain: string): ApprovalReading => {
    const found = reading(chain)?.approvals
    if (!found) throw new Error(`${chain} has no approvals here`)
    return found
  }
  const views = createApprovalViews({
    approvals: createApprovals({
      store,
      searches: createApprovalSearches({ readingOf, store, clock, log }),
      readTimes: createReadBlockTimes(readingOf),
    }),
    assets: createReadAssets({ findTokens: createFindTokens({ enabled, knownTokens }), readingOf, readTokens }),
    cursors: createCursors(cursorSecrets(peppers)),
    isEnabled: (chain) => reading(chain)?.approvals !== undefined,
    noteUse,
  })
  return { handlers: approvalRoutes({ views, iconUrls }) } satisfies Module
}

/** The peppers are shared by all processes of an installation. */
function cursorSecrets([first, ...others]: Peppers): readonly [KeyObject, ...KeyObject[]] {
  const secretOf = ({ secret }: Peppers[number]) =>
    createSecretKey(createHmac('sha256', secret).update('coffer cursors').digest())
  return [secretOf(first), ...others.map(secretOf)]
}

function approvalRoutes({
  views,
  iconUrls,
}: {
  views: ApprovalViews
  iconUrls(origin: string): IconUrls
}): Handlers<ReturnType<typeof approvalEndpoints>> {
  return {
    listApprovals: {
      prepare: ({ params, query }) => views.check({ ...params, ...query }),
      handle: ({ params, query, origin }) => views.list({ ...params, ...query }, iconUrls(origin)),
    },
  }
}
