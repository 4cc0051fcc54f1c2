import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { tokens as aaveList } from '@aave-dao/aave-address-book/tokenlist'
import { addressBookByChainId } from '@beefyfinance/blockchain-addressbook'
import type { TokenRow } from '../src/knowledge/token-catalog.ts'

/** A token as one list has it. */
type ListedToken = { chainId: string; address: string; symbol: string; name: string; decimals: number }

const { resolve } = createRequire(import.meta.url)

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** `@aave-dao/aave-address-book` (MIT): reserves and wrapped aTokens. aTokens are left out: they are positions. */
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

/** `@ledgerhq/cryptoassets-evm-signatures` (MIT): the tokens with the largest markets of each chain. */
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

/** `@beefyfinance/blockchain-addressbook` (MIT): the widest, with the most hurried spelling. */
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

/** A list that spells a token earlier in this order decides its symbol, name and decimals. */
const lists: Readonly<Record<string, () => ListedToken[]>> = {
  aave: aaveTokens,
  metamask: metamaskTokens,
  ledger: ledgerTokens,
  beefy: beefyTokens,
}

/** The lists merged by chain and address, in the order of `lists`: rows by address for each of the chain ids. */
export function gatherTokens(chainIds: ReadonlySet<string>): Map<string, TokenRow[]> {
  const byChain = new Map([...chainIds].map((chainId) => [chainId, new Map<string, TokenRow>()]))
  for (const token of Object.values(lists).flatMap((read) => read())) {
    const tokens = byChain.get(token.chainId)
    const address = token.address.toLowerCase()
    if (!tokens || tokens.has(address)) continue
    tokens.set(address, [address as `0x${string}`, token.symbol.trim(), token.name.trim(), token.decimals])
  }
  const inOrder = (a: TokenRow, b: TokenRow) => (a[0] < b[0] ? -1 : 1)
  return new Map([...byChain].map(([chainId, tokens]) => [chainId, [...tokens.values()].sort(inOrder)]))
}
