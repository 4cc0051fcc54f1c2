import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createCoverage } from '../../db/coverage.ts'
import { createGate } from '../../lib/concurrency.ts'
import { createFindTokens } from '../../wallets/create-reading.ts'
import { createSearchedChain } from '../../wallets/searched-chain.ts'
import type { Peppers } from '../keys/peppers.ts'
import type { Module, Ports } from '../module.ts'
import { dropApprovals } from './approval-store.ts'
import { type ApprovalsContext, listApprovals, startOf } from './approvals.ts'
import { createCursors } from './cursors.ts'

/** Over all searches. */
const PIECES_AT_ONCE = 16

export function approvalModule({ database: { db }, reading, iconUrls, ...ports }: Ports & { peppers: Peppers }) {
  const coverage = createCoverage(db, 'approvals')
  const context: ApprovalsContext = {
    db,
    coverage,
    beginSearch: createSearchedChain(db, coverage, dropApprovals).begin,
    running: new Map(),
    gate: createGate(PIECES_AT_ONCE),
    cursors: createCursors(cursorSecrets(ports.peppers)),
    readingOf: (chain) => reading.readingOf(chain)?.approvals,
    findTokens: createFindTokens(reading),
    readTokens: reading.readTokens,
    noteUse: reading.noteUse,
    clock: ports.clock,
    log: ports.logger,
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
