import { addresses } from './addresses.ts'
import type { Devnet } from './devnet.ts'

/**
 * What the service's shipped catalog cannot know about these chains, in the shape of its configuration file
 * (`COFFER_CONFIG`). `tokens.orphan` is left out on purpose: nobody tells the service about it.
 */
export const devnetConfig = () => ({
  tokens: [{ chain: 'ethereum', address: addresses.ethereum.tokens.nova, symbol: 'NOVA', name: 'Nova', decimals: 18 }],
  protocols: [
    {
      family: 'erc4626',
      key: 'nova_vaults',
      name: 'Nova Vaults',
      chain: 'ethereum',
      deployment: { vaults: [addresses.ethereum.local.vault] },
    },
    {
      family: 'erc4626',
      key: 'nova_vaults',
      name: 'Nova Vaults',
      chain: 'base',
      deployment: { vaults: [addresses.base.local.vault] },
    },
  ],
})

/** The environment that points the service at these chains; `configFile` holds `devnetConfig()`. */
export const serviceEnvironment = ({ chains }: Pick<Devnet, 'chains'>, configFile: string) => ({
  COFFER_CHAINS: Object.keys(chains).join(','),
  COFFER_RPC_ETHEREUM: chains.ethereum.url,
  COFFER_RPC_BASE: chains.base.url,
  COFFER_CONFIG: configFile,
})
