import type { WalletAsset, WalletView } from '@coffer/contract'
import { type Decimal, decimal, formatDecimal, roundPrice, sum, ZERO } from '../../domain/decimal.ts'
import { totalOf, type ValuedAsset, type ValuedRead } from '../../domain/valuation.ts'
import {
  type PortfolioState,
  type Presentation,
  pnlOf,
  presentAsOf,
  presentHeader,
  presentIncomplete,
} from './present-portfolio.ts'

/** Direct holdings only; a receipt token appears as the token it is. */
export function presentWallet(state: PortfolioState, presentation: Presentation): WalletView {
  const reads = state.reads.filter((read) => read.direct.length > 0)
  const networth = sum(reads.map((read) => totalOf(read.direct)))
  return {
    ...presentHeader(state, networth, pnlOf(state)),
    assetByProtocols: {
      wallet: {
        name: 'Wallet',
        key: 'wallet',
        value: formatDecimal(networth),
        chains: Object.fromEntries(reads.map((read) => [read.read.chain, presentChain(read, presentation)])),
      },
    },
    chains: Object.fromEntries(
      reads.map((read) => {
        const { key, name, chainId } = presentation.chain(read.read.chain)
        const value = totalOf(read.direct)
        const summary = { name, key, chainId, value: formatDecimal(value), valuePercentile: share(value, networth) }
        return [key, summary]
      }),
    ),
    asOf: presentAsOf(state.reads),
    incomplete: presentIncomplete(state).filter((gap) => gap.protocol === undefined),
  }
}

/** The part of the whole, 0..1; `0` of nothing. */
function share(value: Decimal, whole: Decimal): string {
  return formatDecimal(whole.gt(ZERO) ? roundPrice(value.div(whole)) : decimal('0'))
}

function presentChain({ read, direct }: ValuedRead, presentation: Presentation) {
  const { key, name } = presentation.chain(read.chain)
  const value = formatDecimal(totalOf(direct))
  const assets = direct.map((asset) => presentAsset(asset, key))
  return { name, key, value, protocolPositions: { WALLET: { name: 'Wallet', totalValue: value, assets } } }
}

function presentAsset({ token, balance, price, value }: ValuedAsset, chainKey: string): WalletAsset {
  return {
    symbol: token.symbol.toLowerCase(),
    name: token.name.toLowerCase(),
    balance: formatDecimal(balance),
    value: formatDecimal(value),
    price: formatDecimal(price),
    contract: token.address,
    chainKey,
    decimal: String(token.decimals),
  }
}
