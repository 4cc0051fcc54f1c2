import type { FamilyRow } from '../family.ts'
import { PANCAKE_V3 } from '../shared/pancake-v3.ts'

/** Chef by chain. */
const CHEFS: Readonly<Record<string, string>> = {
  arbitrum: '0x5e09acf80c0296740ec5d6f643005a4ef8daa694',
  base: '0xc6a2db661d5a5690172d8eb0a7dea2d3008665a3',
  binance: '0x556b9306565093c855aea9ae92a594704c2cd59e',
  ethereum: '0x556b9306565093c855aea9ae92a594704c2cd59e',
  linea: '0x22e2f236065b780fa33ec8c4e58b99ebc8b55c57',
  opbnb: '0x05ddedd07c51739d2ae21f6a9d97a8d69c2c3aaa',
  polygon_zkevm: '0xe9c7f3196ab8c09f6616365e8873daeb207c0391',
}

/**
 * Sources: PancakeSwap's documents; opBNB: its farms package. Monad is left out, for which public lists name two
 * addresses, and zkSync, where PancakeSwap's contracts are others and no lens was tried.
 */
export const pancakeChefRows: readonly FamilyRow[] = Object.entries(CHEFS).map(([chain, chef]) => ({
  ...{ key: 'pancakeswap_v3_farms', name: 'PancakeSwap V3 Farms', chain, siteUrl: 'https://pancakeswap.finance' },
  deployment: { chef, ...PANCAKE_V3 },
}))
