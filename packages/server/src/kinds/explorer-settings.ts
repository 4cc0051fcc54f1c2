import type { Secret } from '../lib/secret.ts'

/** Explorers that may be asked beside the nodes. */
export type ExplorerSettings = {
  etherscanUrl: Secret
  /** Without one Etherscan is not asked. */
  etherscanKey: Secret | null
  /** Base URLs by chain; they come before Etherscan. */
  blockscoutUrls: ReadonlyMap<string, Secret>
}
