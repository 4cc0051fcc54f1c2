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

/** What makes the local Solana chain's wallets worth something: no market of its tokens runs there. */
const SOLANA_PRICES = {
  '11111111111111111111111111111111': '150',
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: '1',
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: '1',
  JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN: '0.5',
}

/** As `devnetConfig`, with the local Solana chain beside the others. */
export const demoConfig = () => ({
  ...devnetConfig(),
  priceOverrides: Object.entries(SOLANA_PRICES).map(([token, usd]) => ({ chain: 'solana', token, usd })),
})

/** The environment that points the service at these chains; `configFile` holds `demoConfig()`. */
export const serviceEnvironment = (
  { devnet: { chains }, solana }: { devnet: Pick<Devnet, 'chains'>; solana: { url: string } },
  configFile: string,
) => ({
  COFFER_CHAINS: [...Object.keys(chains), 'solana'].join(','),
  COFFER_RPC_ETHEREUM: chains.ethereum.url,
  COFFER_RPC_BASE: chains.base.url,
  COFFER_RPC_SOLANA: solana.url,
  COFFER_CONFIG: configFile,
})
