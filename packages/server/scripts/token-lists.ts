import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { tokens as aaveList } from '@aave-dao/aave-address-book/tokenlist'
import { addressBookByChainId } from '@beefyfinance/blockchain-addressbook'
import type { TokenRow } from '../src/catalog/token-catalog.ts'

type ListedToken = { chainId: string; address: string; symbol: string; name: string; decimals: number }

const { resolve } = createRequire(import.meta.url)

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** `@aave-dao/aave-address-book` (MIT): reserves and wrapped aTokens. Omits aTokens: they are positions. */
function aaveTokens(): ListedToken[] {
  const held = aaveList.filter(({ tags }) => !tags.some((tag) => tag.startsWith('aToken')))
  return held.map((token) => ({ ...token, chainId: String(token.chainId) }))
}

/** `@metamask/contract-metadata` (ISC): Ethereum only. */
function metamaskTokens(): ListedToken[] {
  const map = readJson(resolve('@metamask/contract-metadata/contract-map.json')) as Record<
    string,
    { erc20?: boolean; symbol: string; name: string; decimals: number }
  >
  const tokens = Object.entries(map).filter(([, token]) => token.erc20)
  return tokens.map(([address, token]) => ({ ...token, chainId: '1', address }))
}

/** `@ledgerhq/cryptoassets-evm-signatures` (MIT): each chain's tokens with the largest markets. */
function ledgerTokens(): ListedToken[] {
  const folder = join(dirname(resolve('@ledgerhq/cryptoassets-evm-signatures')), 'data', 'evm')
  const chainIds = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return chainIds.flatMap(({ name: chainId }) => {
    type Row = [
      unknown,
      unknown,
      symbol: string,
      decimals: number,
      name: string,
      unknown,
      address: string,
      unknown,
      delisted: boolean,
    ]
    const rows = readJson(join(folder, chainId, 'erc20.json')) as Row[]
    return rows
      .filter((row) => !row[8])
      .map(([, , symbol, decimals, name, , address]) => ({ chainId, address, symbol, name, decimals }))
  })
}

/** `@beefyfinance/blockchain-addressbook` (MIT): the largest list, the least careful spelling. */
function beefyTokens(): ListedToken[] {
  return Object.entries(addressBookByChainId).flatMap(([chainId, book]) =>
    Object.values(book.tokens).map(({ address, symbol, name, decimals }) => ({
      chainId,
      address,
      symbol,
      name,
      decimals,
    })),
  )
}

/**
 * `@uniswap/default-token-list` (GPL-3.0-or-later): its interface's default. Uses facts only: chain, address, symbol,
 * name, decimals.
 */
function uniswapTokens(): ListedToken[] {
  const { tokens } = readJson(resolve('@uniswap/default-token-list/build/uniswap-default.tokenlist.json')) as {
    tokens: (Omit<ListedToken, 'chainId'> & { chainId: number })[]
  }
  return tokens.map((token) => ({ ...token, chainId: String(token.chainId) }))
}

/** Large tokens that no list has. Each address is in two published sources. */
const ownRows: Readonly<Record<string, readonly TokenRow[]>> = {
  1: [
    ['0x6f40d4a6237c257fff2db00fa0510deeecd303eb', 'FLUID', 'Fluid', 18],
    ['0x9813037ee2218799597d83d4a5b6f3b6778218d9', 'BONE', 'Bone ShibaSwap', 18],
    ['0x27c70cd1946795b66be9d954418546998b546634', 'LEASH', 'Doge Killer', 18],
    ['0xe6829d9a7ee3040e1276fa75293bde931859e8fa', 'cmETH', 'Mantle Restaked ETH', 18],
    ['0x9d1a7a3191102e9f900faa10540837ba84dcbae7', 'EURI', 'Eurite', 18],
    ['0x866a2bf4e572cbcf37d5071a7a58503bfb36be1b', 'M', 'M by M0', 6],
    ['0x7712c34205737192402172409a8f7ccef8aa2aec', 'BUIDL', 'BlackRock USD Institutional Digital Liquidity Fund', 6],
    ['0x1b19c19393e2d034d8ff31ff34c81252fcbbee92', 'OUSG', 'Ondo Short-Term U.S. Government Bond Fund', 18],
    ['0x96f6ef951840721adbf46ac996b59e0235cb985c', 'USDY', 'Ondo U.S. Dollar Yield', 18],
    ['0x259338656198ec7a76c729514d3cb45dfbf768a1', 'RESOLV', 'Resolv', 18],
  ],
  10: [
    ['0x4f13a96ec5c4cf34e442b46bbd98a0791f20edc3', 'USDS', 'USDS Stablecoin', 18],
    ['0x211cc4dd073734da055fbf44a2b4667d5e5fe5d2', 'sUSDe', 'Staked USDe', 18],
  ],
  56: [
    ['0x47474747477b199288bf72a1d702f7fe0fb1deea', 'WLFI', 'World Liberty Financial', 18],
    ['0x5d3a1ff2b6bab83b63cd9ad0787074081a52ef34', 'USDe', 'USDe', 18],
    ['0x211cc4dd073734da055fbf44a2b4667d5e5fe5d2', 'sUSDe', 'Staked USDe', 18],
    ['0x77734e70b6e88b4d82fe632a168edf6e700912b6', 'asBNB', 'Aster Staked BNB', 18],
    ['0xfceb31a79f71ac9cbdcf853519c1b12d379edc46', 'LISTA', 'Lista DAO', 18],
    ['0x9d1a7a3191102e9f900faa10540837ba84dcbae7', 'EURI', 'Eurite', 18],
  ],
  100: [
    ['0xf490c80aae5f2616d3e3bda2483e30c4cb21d1a0', 'osGNO', 'StakeWise Staked GNO', 18],
    ['0x8e34bfec4f6eb781f9743d9b4af99cd23f9b7053', 'GBPe', 'Monerium GBPe', 18],
    ['0xd4dd9e2f021bb459d5a5f6c24c12fe09c5d45553', 'ZCHF', 'Frankencoin', 18],
    ['0xdf613af6b44a31299e48131e9347f034347e2f00', 'AAVE', 'Aave Token on xDai', 18],
  ],
  8453: [
    ['0x820c137fa70c8691f0e44dc420a5e53c168921dc', 'USDS', 'USDS Stablecoin', 18],
    ['0x688aee022aa544f150678b8e5720b6b96a9e9a2f', 'SYRUP', 'Maple Finance', 18],
    ['0x5d3a1ff2b6bab83b63cd9ad0787074081a52ef34', 'USDe', 'USDe', 18],
    ['0x211cc4dd073734da055fbf44a2b4667d5e5fe5d2', 'sUSDe', 'Staked USDe', 18],
  ],
  42161: [
    ['0x0a1a1a107e45b7ced86833863f482bc5f4ed82ef', 'USDai', 'USDai', 18],
    ['0x41ca7586cc1311807b4605fbb748a3b8862b42b5', 'syrupUSDC', 'Syrup USDC', 6],
  ],
  43114: [['0xbc78d84ba0c46dfe32cf2895a19939c86b81a777', 'SolvBTC', 'Solv BTC', 18]],
}

/** Wrong in the published lists: five other public lists agree on these. */
const correctedRows: typeof ownRows = {
  1: [['0x720cd16b011b987da3518fbf38c3071d4f0d1495', 'FLUX', 'Flux', 8]],
  8453: [['0x3e31966d4f81c72d2a55310a6365a56a4393e98d', 'WMTX', 'World Mobile Token', 6]],
  42161: [['0x63806c056fa458c548fb416b15e358a9d685710a', 'FLUX', 'Flux', 8]],
}

const tokensOf = (rowsByChain: typeof ownRows): ListedToken[] =>
  Object.entries(rowsByChain).flatMap(([chainId, rows]) =>
    rows.map(([address, symbol, name, decimals]) => ({ chainId, address, symbol, name, decimals })),
  )

/** In order of precedence for symbol and name, and for decimals unless most lists differ. */
const lists: Readonly<Record<string, () => ListedToken[]>> = {
  corrected: () => tokensOf(correctedRows),
  aave: aaveTokens,
  metamask: metamaskTokens,
  ledger: ledgerTokens,
  uniswap: uniswapTokens,
  own: () => tokensOf(ownRows),
  beefy: beefyTokens,
}

/** Lists required for a majority about decimals. */
const VOTES = 3

/** Returns rows by chain ID. */
export function gatherTokens(chainIds: ReadonlySet<string>): Map<string, TokenRow[]> {
  const listed = Object.values(lists).flatMap((read) => read())
  const byChain = Map.groupBy(listed, ({ chainId }) => chainId)
  const inOrder = (a: TokenRow, b: TokenRow) => (a[0] < b[0] ? -1 : 1)
  return new Map(
    [...chainIds].map((chainId) => {
      const byAddress = Map.groupBy(byChain.get(chainId) ?? [], ({ address }) => address.toLowerCase())
      return [chainId, [...byAddress].map(([address, rows]) => rowOf(address, rows)).sort(inOrder)]
    }),
  )
}

function rowOf(address: string, rows: readonly ListedToken[]): TokenRow {
  const [first] = rows as [ListedToken, ...ListedToken[]]
  const isMost = ({ decimals }: ListedToken) =>
    rows.filter((other) => other.decimals === decimals).length * 2 > rows.length
  const { decimals } = (rows.length >= VOTES && rows.find(isMost)) || first
  return [address as `0x${string}`, first.symbol.trim(), first.name.trim(), decimals]
}
