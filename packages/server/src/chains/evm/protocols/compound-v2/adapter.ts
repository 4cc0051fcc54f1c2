import { maxUint256, toFunctionSelector } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { comptrollerAbi, marketAbi } from './abi.ts'
import { compoundV2Lens } from './compound-v2-lens.bytecode.ts'
import { type Deployment, deployment } from './deployment.ts'
import { compoundV2History } from './history.ts'
import { accruals, readMarketRewards, rewardedMarkets, rewardTokens } from './market-rewards.ts'
import { marketRewardsLens } from './market-rewards-lens.bytecode.ts'
import { compoundV2Rows } from './rows.ts'

type Rewards = NonNullable<Deployment['rewards']>
type OwnRewards = Extract<Rewards, { token: EvmAddress }>

/** Exchange rates have 18 decimals plus the difference of the tokens' own. */
const RATE_UNIT = 10n ** 18n

const CALLS: Record<OwnRewards['scheme'], { claim: `0x${string}`; accrued: `0x${string}` }> = {
  comp: {
    claim: toFunctionSelector('function claimComp(address,address[])'),
    accrued: toFunctionSelector('function compAccrued(address)'),
  },
  venus: {
    claim: toFunctionSelector('function claimVenus(address,address[])'),
    accrued: toFunctionSelector('function venusAccrued(address)'),
  },
}

/**
 * A debt leaves no token in the wallet, so every wallet is read. Amounts are accrued to the block. The health factor is
 * (liquidity + debt) ÷ debt by the comptroller's liquidity and oracle; liquidation begins at 1.
 */
export const compoundV2: ProtocolAdapter<Deployment> = {
  name: 'compound_v2',
  deployment,
  rows: compoundV2Rows,
  lenses: [compoundV2Lens, marketRewardsLens],
  readsEveryWallet: true,

  async discover({ reader, deployment: { comptroller, rewards } }) {
    if (!(await isDeployed(reader, comptroller))) return []
    const markets = await reader.read({ address: comptroller, abi: comptrollerAbi, functionName: 'getAllMarkets' })
    return Promise.all(
      markets.map(async (market): Promise<ProtocolContract> => {
        const address = evmAddress(market)
        // The market of the native coin has no `underlying`.
        const [underlying, alsoShown] = await Promise.all([
          reader.tryRead({ address, abi: marketAbi, functionName: 'underlying' }),
          rewards?.scheme === 'moonwell' ? rewardTokens(reader, rewards.distributor, address) : [],
        ])
        const facts = { address, role: 'market', fungible: true, underlyings: [evmAddress(underlying ?? NATIVE)] }
        return alsoShown.length > 0 ? { ...facts, alsoShown } : facts
      }),
    )
  },

  keyLogs: ({ rewards }) => (rewards?.scheme === 'moonwell' ? accruals(rewards.distributor) : []),

  async positions({ reader, wallet, deployment: at, protocolContracts, held, keys, leftOut }) {
    if (protocolContracts.length === 0) return []
    const { comptroller, rewards, vai } = at
    const receipts = held.map(({ address }) => address)
    const own = rewards?.scheme === 'moonwell' ? undefined : rewards
    const [[balances, vaiDebt, priced, health, reward], distributed] = await Promise.all([
      reader.lens(compoundV2Lens, {
        functionName: 'account',
        args: [comptroller, wallet, receipts, vai !== undefined, rewardsArgument(own)],
      }),
      rewards?.scheme === 'moonwell'
        ? readMarketRewards(
            { reader, wallet, leftOut },
            rewards.distributor,
            rewardedMarkets(protocolContracts, held, keys),
          )
        : [],
    ])
    const underlyings = new Map(protocolContracts.map(({ address, underlyings: [token] }) => [address, token]))
    const amount = (market: string, amountRaw: bigint): TokenAmount => {
      const token = underlyings.get(evmAddress(market))
      if (token === undefined && amountRaw > 0n) throw new Error(`market ${market} is not among the row's instruments`)
      return { token: token ?? NATIVE, amountRaw }
    }
    const minted: TokenAmount[] = vai ? [{ token: vai, amountRaw: vaiDebt }] : []
    return [
      {
        kind: 'lending',
        label: 'Core pool',
        pool: comptroller,
        supplied: balances.map(({ market, supplied }) => amount(market, supplied)),
        borrowed: [...balances.map(({ market, borrowed }) => amount(market, borrowed)), ...minted],
        rewards: own ? [{ token: own.token, amountRaw: reward }] : distributed,
        receipts,
        ...(priced && health !== maxUint256 && { healthFactorRaw: health }),
      },
    ]
  },

  async decompose({ reader, protocolContract, amountRaw }) {
    const rate = await readRate(reader, protocolContract.address)
    return protocolContract.underlyings.map((token) => ({ token, amountRaw: (amountRaw * rate) / RATE_UNIT }))
  },

  history: compoundV2History,
}

function readRate(reader: EvmReader, market: EvmAddress): Promise<bigint> {
  return reader.read({ address: market, abi: marketAbi, functionName: 'exchangeRateCurrent' })
}

function rewardsArgument(rewards: OwnRewards | undefined) {
  if (!rewards) return { token: NATIVE, claim: '0x00000000', accrued: '0x00000000' } as const
  return { token: rewards.token, ...CALLS[rewards.scheme] }
}
