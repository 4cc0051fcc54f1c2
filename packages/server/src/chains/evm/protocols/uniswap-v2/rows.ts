import type { DeploymentRow } from '../adapter.ts'
import { coreAssets } from '../deployment.ts'
import forks from './forks.json' with { type: 'json' }

/**
 * Sources: SDKs and routers of Uniswap and forks; fees: DefiLlama. ApeSwap, Camelot, SpookySwap and Honeyswap take
 * other shares of the growth, an error of a few millionths.
 */
export const uniswapV2Rows: readonly DeploymentRow[] = forks.flatMap(
  ({ key, name, siteUrl, initCodeHash, factories, ...fees }) =>
    Object.entries(factories).map(([chain, factory]) => {
      const deployment = { factory, initCodeHash, tokens: coreAssets[chain] ?? [], ...fees }
      return { key, name, chain, siteUrl, deployment }
    }),
)
