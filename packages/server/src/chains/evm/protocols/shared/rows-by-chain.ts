import type { FamilyRow } from '../adapter.ts'

export function rowsByChain(
  protocol: Omit<FamilyRow, 'chain' | 'deployment'>,
  deployments: Readonly<Record<string, FamilyRow['deployment']>>,
): FamilyRow[] {
  return Object.entries(deployments).map(([chain, deployment]) => ({ ...protocol, chain, deployment }))
}
