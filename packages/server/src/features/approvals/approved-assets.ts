import type { Approval as ApprovalItem } from '@coffer/contract'
import { parseAbi } from 'viem'
import { formatDecimal, fromRaw } from '../../domain/decimal.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { valueAsset } from '../../domain/valuation.ts'
import type { EvmReader } from '../../kinds/evm/reader/evm-reader.ts'
import type { TokenCatalog } from '../../knowledge/token-catalog.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import type { ReadTokens } from '../portfolio/read-tokens.ts'

const erc20 = parseAbi(['function balanceOf(address owner) view returns (uint256)'])

type Asset = NonNullable<ApprovalItem['asset']>

/** What a wallet has now of listed tokens, by contract; a token whose balance cannot be told is absent. */
export type ReadAssets = (
  of: Searched<EvmAddress>,
  contracts: readonly EvmAddress[],
  icons: Pick<IconUrls, 'token'>,
) => Promise<ReadonlyMap<EvmAddress, Asset>>

/** Rejects with `UpstreamError` when the chain cannot be read. */
export function createReadAssets({
  catalog,
  openReader,
  readTokens,
}: {
  catalog: TokenCatalog
  openReader(chain: string): EvmReader
  readTokens: ReadTokens
}): ReadAssets {
  return async function readAssets({ wallet, chain }, contracts, icons) {
    const listed = [...new Set(contracts)].flatMap((contract) => {
      const token = catalog.find(chain, contract)
      return token ? [{ ...token, address: contract }] : []
    })
    if (listed.length === 0) return new Map()
    const reader = openReader(chain)
    const held = await Promise.all(
      listed.map(async ({ address, decimals }) => {
        const raw = await reader.tryRead({ address, abi: erc20, functionName: 'balanceOf', args: [wallet] })
        return raw === undefined ? [] : [[address, fromRaw(raw, decimals)] as const]
      }),
    )
    const amounts = new Map(held.flat())
    const { prices } = await readTokens(chain, amounts)
    const priceOf = new Map(prices.map((price) => [price.token, price]))
    const assets = listed.flatMap((token) => {
      const amount = amounts.get(token.address)
      if (amount === undefined) return []
      const { balance, price, value } = valueAsset(token, amount, priceOf.get(token.address))
      const asset = {
        name: token.name,
        symbol: token.symbol,
        balance: formatDecimal(balance),
        price: formatDecimal(price),
        value: formatDecimal(value),
        decimal: String(token.decimals),
        chain,
        contract: token.address,
        ...icons.token(chain, token.address, token.symbol),
      }
      return [[token.address, asset] as const]
    })
    return new Map(assets)
  }
}
