import type { Module, Ports } from '../module.ts'
import type { Presentation } from '../portfolio/present-portfolio.ts'
import type { ShownParts } from '../portfolio/presentation.ts'
import { createSnapshotStates } from '../snapshots/snapshot-states.ts'
import { statementRoutes } from './statement-routes.ts'
import { createStatements } from './statements.ts'

export function statementModule({
  database: { db },
  portfolios,
  showing: { ofAll },
  clock,
}: Pick<Ports, 'database' | 'portfolios' | 'clock'> & { showing: { ofAll(shown: ShownParts): Presentation } }) {
  const names = ofAll({ images: false, explorerUrls: false, flatAssets: false, origin: '' })
  const statements = createStatements({ portfolios, snapshots: createSnapshotStates(db), names, clock })
  return { handlers: statementRoutes(statements) } satisfies Module
}
