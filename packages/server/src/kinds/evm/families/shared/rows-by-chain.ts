import type { FamilyRow } from '../family.ts'

/** A row a chain: what a protocol is called, and what is deployed of it on each. */
export function rowsByChain(
  protocol: Omit<FamilyRow, 'chain' | 'deployment'>,
  deployments: Readonly<Record<string, FamilyRow['deployment']>>,
): FamilyRow[] {
  return Object.entries(deployments).map(([chain, deployment]) => ({ ...protocol, chain, deployment }))
}
