import { createHmac, createSecretKey } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { ApprovalReading } from '../../kinds/approval-reading.ts'
import type { TokenCatalog } from '../../knowledge/token-catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reading } from '../../reading/open-reading.ts'
import type { OriginIconUrls } from '../icons/icon-urls.ts'
import type { Peppers } from '../keys/peppers.ts'
import type { Module } from '../module.ts'
import { approvalRoutes } from './approval-routes.ts'
import { createApprovalSearches } from './approval-search.ts'
import { createApprovalStore } from './approval-store.ts'
import { createApprovalViews } from './approval-views.ts'
import { createApprovals } from './approvals.ts'
import { createReadAssets } from './approved-assets.ts'
import { createReadBlockTimes } from './block-times.ts'
import { createCursors } from './cursors.ts'

/** Allowances of wallets. */
export function approvalModule({
  database: { db },
  catalog,
  reading: { readingOf: reading, readTokens, noteUse },
  peppers,
  iconUrls,
  clock,
  logger: log,
}: {
  database: Pick<Database, 'db'>
  catalog: TokenCatalog
  reading: Reading
  peppers: Peppers
  iconUrls: OriginIconUrls
  clock: Clock
  logger: Logger
}) {
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
    assets: createReadAssets({ catalog, readingOf, readTokens }),
    cursors: createCursors(cursorSecrets(peppers)),
    isEnabled: (chain) => reading(chain)?.approvals !== undefined,
    noteUse,
  })
  return { handlers: approvalRoutes({ views, iconUrls }) } satisfies Module
}

/** Derived from the peppers, which differ per installation and are the same in all its processes. */
function cursorSecrets([first, ...others]: Peppers): Parameters<typeof createCursors>[0] {
  const secretOf = ({ secret }: Peppers[number]) =>
    createSecretKey(createHmac('sha256', secret).update('coffer cursors').digest())
  return [secretOf(first), ...others.map(secretOf)]
}
