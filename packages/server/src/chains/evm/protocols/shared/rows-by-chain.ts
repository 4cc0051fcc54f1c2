import type { DeploymentRow } from '../adapter.ts'

export function rowsByChain(
  protocol: Omit<DeploymentRow, 'chain' | 'deployment'>,
  deployments: Readonly<Record<string, DeploymentRow['deployment']>>,
): DeploymentRow[] {
  return Object.entries(deployments).map(([chain, deployment]) => ({ ...protocol, chain, deployment }))
}
