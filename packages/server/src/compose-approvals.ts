import { createHmac, createSecretKey } from 'node:crypto'
import type { Reading } from './compose-reading.ts'
import type { Database } from './db/database.ts'
import { createApprovalSearches } from './features/approvals/approval-search.ts'
import { createApprovalStore } from './features/approvals/approval-store.ts'
import { createApprovalViews } from './features/approvals/approval-views.ts'
import { createApprovals } from './features/approvals/approvals.ts'
import { createReadAssets } from './features/approvals/approved-assets.ts'
import { createReadBlockTimes } from './features/approvals/block-times.ts'
import { createCursors } from './features/approvals/cursors.ts'
import type { Peppers } from './features/keys/peppers.ts'
import type { ApprovalReading } from './kinds/approval-reading.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

/** Everything that lists the allowances of wallets. */
export function composeApprovals({
  database: { db },
  catalog,
  reading: { readingOf: reading, readTokens, noteUse },
  peppers,
  clock,
  logger: log,
}: {
  database: Pick<Database, 'db'>
  catalog: TokenCatalog
  reading: Reading
  peppers: Peppers
  clock: Clock
  logger: Logger
}) {
  const store = createApprovalStore(db)
  const readingOf = (chain: string): ApprovalReading => {
    const found = reading(chain)?.approvals
    if (!found) throw new Error(`${chain} has no approvals here`)
    return found
  }
  return createApprovalViews({
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
}

/** Derived from the peppers, which differ per installation and are the same in all its processes. */
function cursorSecrets([first, ...others]: Peppers): Parameters<typeof createCursors>[0] {
  const secretOf = ({ secret }: Peppers[number]) =>
    createSecretKey(createHmac('sha256', secret).update('coffer cursors').digest())
  return [secretOf(first), ...others.map(secretOf)]
}
