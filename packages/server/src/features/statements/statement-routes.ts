import type { statementEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Statements } from './statements.ts'

export function statementRoutes(statements: Statements): Handlers<ReturnType<typeof statementEndpoints>> {
  return {
    exportHoldings: {
      prepare: ({ query }) => statements.check(query),
      handle: ({ query, caller }) => statements.open(caller.accountId, query),
    },
  }
}
