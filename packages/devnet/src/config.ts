import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addresses } from './addresses.ts'
import type { Devnet } from './devnet.ts'
import type { Showcase } from './showcase.ts'
import type { DemoList } from './solana/demo/demo-airdrops.ts'

type Rows = Pick<Showcase, 'protocols' | 'tokens'>

/**
 * Data that the service's catalog cannot have, in the format of `COFFER_CONFIG`. Leaves out `tokens.orphan` on purpose.
 */
export const devnetConfig = (showcase: Rows = { protocols: [], tokens: [] }) => ({
  tokens: [
    { chain: 'ethereum', address: addresses.ethereum.tokens.nova, symbol: 'NOVA', name: 'Nova', decimals: 18 },
    ...showcase.tokens,
  ],
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
    ...showcase.protocols,
  ],
})

/** RAY: has no price on the local Solana chain. */
const PRICE_OVERRIDES = [{ chain: 'solana', token: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R', usd: '2' }]

type Solana = { url: string; wallet: { airdrops: readonly { list?: DemoList }[] } }

/** Writes the service's configuration file and its airdrop lists. Returns the path. */
export const writeDemoConfig = (folder: string, { wallet }: Pick<Solana, 'wallet'>, showcase?: Rows): string => {
  const airdrops = wallet.airdrops.flatMap(({ list }) => {
    if (!list) return []
    const file = join(folder, `${list.row.key}.csv`)
    writeFileSync(file, list.lines)
    return [{ ...list.row, file }]
  })
  const path = join(folder, 'config.json')
  const content = { ...devnetConfig(showcase), priceOverrides: PRICE_OVERRIDES, airdrops }
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
  return path
}

export const serviceEnvironment = (
  { devnet: { chains }, solana }: { devnet: Pick<Devnet, 'chains'>; solana: Pick<Solana, 'url'> },
  configFile: string,
) => ({
  COFFER_CHAINS: [...Object.keys(chains), 'solana'].join(','),
  COFFER_LOCAL_CHAINS: [...Object.keys(chains), 'solana'].join(','),
  COFFER_RPC_ETHEREUM: chains.ethereum.url,
  COFFER_RPC_BASE: chains.base.url,
  COFFER_RPC_SOLANA: solana.url,
  COFFER_CONFIG: configFile,
})
