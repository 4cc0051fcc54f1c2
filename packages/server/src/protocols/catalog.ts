import type { ProtocolRow } from './adapter.ts'
import { aaveRows } from './catalog/aave-rows.ts'
import { compoundV2Rows } from './catalog/compound-v2-rows.ts'
import { uniswapV2Rows } from './catalog/uniswap-v2-rows.ts'
import { uniswapV3Rows } from './catalog/uniswap-v3-rows.ts'
import { vaultRows } from './catalog/vault-rows.ts'

const lidoRow: ProtocolRow = {
  family: 'lido',
  key: 'lido',
  name: 'Lido',
  chain: 'ethereum',
  siteUrl: 'https://lido.fi',
  deployment: {
    stEth: '0xae7ab96520de3a18e5e111b5eaab095312d7fe84',
    wstEth: '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0',
  },
}

/** Every protocol that ships, one row a protocol and chain. Rows of the configuration come on top. */
export const protocolRows: readonly ProtocolRow[] = [
  ...aaveRows,
  ...compoundV2Rows,
  ...uniswapV2Rows,
  ...uniswapV3Rows,
  ...vaultRows,
  lidoRow,
]
