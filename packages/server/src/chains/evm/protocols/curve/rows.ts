import type { DeploymentRow } from '../adapter.ts'
import chains from './chains.json' with { type: 'json' }

/**
 * Sources: constants of `curvefi/curve-js` (pools with gauges, tokens, factories, locks), deployments of
 * `curvefi/metaregistry`, DefiLlama's list of factories. Gauges of chains without their own CRV are left out.
 */
export const curveRows: readonly DeploymentRow[] = Object.entries(chains).map(([chain, deployment]) => ({
  key: 'curve',
  name: 'Curve',
  chain,
  siteUrl: 'https://www.curve.finance',
  deployment,
}))
