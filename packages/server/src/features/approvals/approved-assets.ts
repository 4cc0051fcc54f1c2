import type { Approval as ApprovalItem } from '@coffer/contract'
import type { ApprovalReading } from '../../chains/approval-reading.ts'
import type { ReadTokens } from '../../chains/token-worth.ts'
import type { Address } from '../../domain/address.ts'
import { formatDecimal, fromRaw } from '../../domain/decimal.ts'
import { valueAsset } from '../../domain/valuation.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import type { FindTokens } from '../../wallets/open-reading.ts'
import type { IconUrls } from '../icons/icons.ts'

type Asset = NonNullable<ApprovalItem['asset']>

/** By contract. Omits tokens whose balance cannot be read. */
export type ReadAssets = (
  of: WalletOnChain,
  contracts: readonly Address[],
  icons: Pick<IconUrls, 'token'>,
) => Promise<ReadonlyMap<Address, Asset>>

/** Rejects with `UpstreamError` if the chain cannot be read. */
export function createReadAssets({
  findTokens,
  readingOf,
  readTokens,
}: {
  findTokens: FindTokens
  readingOf(chain: string): Pick<ApprovalReading, 'balances'>
  readTokens: ReadTokens
}): ReadAssets {
  return async function readAssets({ wallet, chain }, contracts, icons) {
    // Without contracts only listed tokens are found, and nothing is loaded.
    const find = await findTokens(chain, [])
    const listed = [...new Set(contracts)].flatMap((contract) => {
      const token = find(contract)
      return token?.listed ? [{ ...token, address: contract }] : []
    })
    if (listed.length === 0) return new Map()
    const held = await readingOf(chain).balances(
      { wallet, chain },
      listed.map(({ address }) => address),
    )
    const amounts = new Map(
      listed.flatMap(({ address, decimals }) => {
        const raw = held.get(address)
        return raw === undefined ? [] : [[address, fromRaw(raw, decimals)] as const]
      }),
    )
    const { prices } = await readTokens(chain, amounts)
    const priceOf = new Map(prices.map((price) => [price.token, price]))
    const assets = listed.flatMap((token) => {
      const amount = amounts.get(token.address)
      if (amount === undefined) return []
      const { balance, price, value } = valueAsset(token, amount, priceOf.get(token.address))
      const asset = {
        name: token.name,
        symbol: token.symbol,
        displaySymbol: token.symbol,
        displayName: token.name,
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
