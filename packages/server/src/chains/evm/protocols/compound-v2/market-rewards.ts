import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { topicOf } from '../../decode/log-words.ts'
import type { KeyLogs } from '../../logs/key-logs.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, PositionId, ProtocolContract } from '../adapter.ts'
import { distributorAbi } from './abi.ts'
import { marketRewardsLens } from './market-rewards-lens.bytecode.ts'

/** Markets per lens call: one takes some 100,000 gas. */
const PAGE = 16

/** Market, wallet, token, accrued amount. */
const ACCRUALS = ['DisbursedSupplierRewards', 'DisbursedBorrowerRewards'].map((name) =>
  topicOf(`${name}(address,address,address,uint256)`),
)

/** Includes markets that the wallet has left. The position ID is the market. */
export const accruals = (contract: EvmAddress): KeyLogs[] =>
  ACCRUALS.map((topic) => ({ contract, topic, walletAt: 2, keyAt: 1 }))

export function rewardedMarkets(
  markets: readonly ProtocolContract[],
  held: readonly ProtocolContract[],
  keys: readonly PositionId[],
): EvmAddress[] {
  const shares = new Set(held.map(({ address }) => address))
  const named = new Set(keys.map(({ key }) => key))
  return markets.map(({ address }) => address).filter((market) => shares.has(market) || named.has(BigInt(market)))
}

type Scope = { reader: EvmReader; wallet: EvmAddress; leftOut: LeftOut }

export async function readMarketRewards(
  { reader, wallet, leftOut }: Scope,
  distributor: EvmAddress,
  markets: readonly EvmAddress[],
): Promise<TokenAmount[]> {
  const pages = await Promise.all(
    pagesOf(markets, PAGE).map((page) =>
      reader.lens(marketRewardsLens, { functionName: 'outstanding', args: [distributor, wallet, page] }),
    ),
  )
  for (const market of pages.flatMap(([, refused]) => refused)) {
    leftOut(new Error(`rewards of market ${market} could not be read`))
  }
  const sums = new Map<EvmAddress, bigint>()
  for (const { token, amount } of pages.flatMap(([rewards]) => rewards)) {
    const address = evmAddress(token)
    sums.set(address, (sums.get(address) ?? 0n) + amount)
  }
  return [...sums].map(([token, amountRaw]) => ({ token, amountRaw }))
}

export async function rewardTokens(reader: EvmReader, address: EvmAddress, market: EvmAddress): Promise<EvmAddress[]> {
  const read = { address, abi: distributorAbi, functionName: 'getAllMarketConfigs', args: [market] } as const
  const configs = (await reader.tryRead(read)) ?? []
  return [...new Set(configs.map(({ emissionToken }) => evmAddress(emissionToken)))]
}
