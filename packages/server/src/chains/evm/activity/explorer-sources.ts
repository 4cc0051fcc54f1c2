import type { Clock } from '../../../lib/clock.ts'
import { secret } from '../../../lib/secret.ts'
import type { Chain } from '../../chain.ts'
import type { ExplorerSettings } from '../../explorer-settings.ts'
import { createExplorerApi } from './explorer-api.ts'
import { createExplorerSource } from './explorer-source.ts'
import type { NativeSource } from './native-source.ts'

/** Etherscan allows free keys three requests a second; Blockscout allows anyone ten. */
const ETHERSCAN_PAUSE_MS = 350
const BLOCKSCOUT_PAUSE_MS = 110

export function createExplorerSources(
  { etherscanUrl, etherscanKey, blockscoutUrls }: ExplorerSettings,
  chains: readonly Pick<Chain, 'key' | 'chainId'>[],
  clock: Clock,
): ReadonlyMap<string, NativeSource> {
  const etherscan =
    etherscanKey && createExplorerApi({ url: etherscanUrl, key: etherscanKey, clock, pauseMs: ETHERSCAN_PAUSE_MS })
  const sources = new Map<string, NativeSource>()
  for (const { key, chainId } of chains) {
    const base = blockscoutUrls.get(key)
    if (base) {
      const url = secret(`${base.reveal().replace(/\/+$/, '')}/api`)
      const api = createExplorerApi({ url, clock, pauseMs: BLOCKSCOUT_PAUSE_MS })
      sources.set(key, createExplorerSource({ api, clock }))
    } else if (etherscan) sources.set(key, createExplorerSource({ api: etherscan, chainId, clock }))
  }
  return sources
}
