import type { ReadTokens } from '../../chains/token-worth.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, ZERO } from '../../domain/decimal.ts'
import { CEX, symbolToken, type VirtualHolding, type VirtualRead } from '../../domain/virtual-read.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type PriceSymbol, parseSymbolSource } from '../../prices/symbol-prices.ts'
import type { Balance } from './balances.ts'

type Dependencies = { readTokens: ReadTokens; priceSymbol: PriceSymbol; clock: Clock }

export type ReadBalances = ReturnType<typeof createReadBalances>

/** Keeps the price of the read `before` if a source fails. Rejects with `UpstreamError` if a chain fails. */
export function createReadBalances({ readTokens, priceSymbol, clock }: Dependencies) {
  async function onChain(chain: string, balances: readonly Balance[], before?: VirtualRead): Promise<VirtualRead> {
    const amounts = new Map<Address, Decimal>(
      balances.flatMap(({ asset, amount }) => ('contract' in asset ? [[asset.contract, amount] as const] : [])),
    )
    const known = (before?.holdings ?? []).flatMap(({ token: { address }, price }) =>
      price && address ? [{ chain, token: address, ...price, confidence: 1 }] : [],
    )
    const { block, blockTime, tokens, prices, gaps } = await readTokens(chain, amounts, known)
    const priceOf = new Map(prices.map(({ token, usd, source }) => [token, { usd, source }]))
    const holdings = tokens.map(
      ({ address, symbol, name, decimals }): VirtualHolding => ({
        account: 'wallet',
        token: { address, symbol, name, decimals },
        owned: amounts.get(address) ?? ZERO,
        borrowed: ZERO,
        price: priceOf.get(address) ?? null,
      }),
    )
    return { chain, block, blockTime, readAt: clock.now(), holdings, gaps }
  }

  async function symbols(balances: readonly Balance[], before?: VirtualRead): Promise<VirtualRead> {
    const gaps = new Set<ReadGap['reason']>()
    const holdings = await Promise.all(
      balances.flatMap(({ asset, amount }) =>
        'symbol' in asset ? [holdingOf(asset.symbol, asset.priceSource, amount)] : [],
      ),
    )

    async function holdingOf(symbol: string, source: string, owned: Balance['amount']): Promise<VirtualHolding> {
      const last = before?.holdings.find(({ token }) => token.symbol === symbol)?.price ?? null
      const price = await priceNow(symbol, source).catch((error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        gaps.add(last ? 'stale' : 'unreadable')
        return last
      })
      return { account: 'wallet', token: symbolToken(symbol), owned, borrowed: ZERO, price }
    }

    return { chain: CEX, readAt: clock.now(), holdings, gaps: [...gaps].map((reason) => ({ reason })) }
  }

  async function priceNow(symbol: string, source: string): Promise<VirtualHolding['price']> {
    const parsed = parseSymbolSource(source)
    return (parsed && (await priceSymbol(symbol, parsed))) ?? null
  }

  return { onChain, symbols }
}
