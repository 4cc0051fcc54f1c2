import type { Secret } from '../lib/secret.ts'

export type ExplorerSettings = {
  etherscanUrl: Secret
  /** Null disables Etherscan. */
  etherscanKey: Secret | null
  /** By chain; preferred over Etherscan. */
  blockscoutUrls: ReadonlyMap<string, Secret>
}
