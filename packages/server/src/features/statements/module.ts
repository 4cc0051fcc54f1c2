import type { Module, Ports } from '../module.ts'
import type { Presentation } from '../portfolio/present-portfolio.ts'
import type { ShownParts } from '../portfolio/presentation.ts'
import { createSnapshotStates } from '../snapshots/snapshot-states.ts'
import { statementRoutes } from './statement-routes.ts'
import { createStatements } from './statements.ts'

/** Statements of holdings, for people and their files. */
export function statementModule({
  database: { db },
  portfolios,
  showing: { ofAll },
  clock,
}: Pick<Ports, 'database' | 'portfolios' | 'clock'> & { showing: { ofAll(shown: ShownParts): Presentation } }) {
  // A chain that is no longer read still has its snapshots.
  const names = ofAll({ images: false, explorerUrls: false, flatAssets: false, origin: '' })
  const statements = createStatements({ portfolios, snapshots: createSnapshotStates(db), names, clock })
  return { handlers: statementRoutes(statements) } satisfies Module
}
