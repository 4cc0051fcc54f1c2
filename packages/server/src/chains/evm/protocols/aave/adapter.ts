import { maxUint256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import {
  type HeldContract,
  type PositionScope,
  type ProtocolAdapter,
  type ProtocolContract,
  rowsOfForks,
} from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import forks from './forks.json' with { type: 'json' }

/** v3 logs transfers with or without the interest since the last one, which the next event states. */
const GROWTH: ReadonlyMap<string, { owner: number; interest: number }> = new Map([
  [topicOf('Mint(address,address,uint256,uint256,uint256)'), { owner: 2, interest: 1 }],
  [topicOf('Burn(address,address,uint256,uint256,uint256)'), { owner: 1, interest: 1 }],
  // Debt at a stable rate.
  [topicOf('Mint(address,address,uint256,uint256,uint256,uint256,uint256,uint256)'), { owner: 2, interest: 2 }],
  [topicOf('Burn(address,uint256,uint256,uint256,uint256,uint256)'), { owner: 1, interest: 2 }],
])

/** v2 logs transfers of the amount alone, at both rates. */
const aaveHistory = ({ version, markets }: Deployment): ProtocolHistory => ({
  purposes: { supply: 'lend', debt: 'borrow' },
  rebasing: ['supply', 'debt'],
  contracts: markets.map(({ pool }) => pool),
  rewarders: markets.flatMap(({ incentives }) => incentives ?? []),
  ...(version === 'v3' && { accrued }),
})

function accrued(log: ReceiptLog, wallet: EvmAddress): bigint {
  const growth = GROWTH.get(log.topics[0] ?? '')
  if (!growth || addressTopic(log, growth.owner) !== wallet) return 0n
  return word(log, growth.interest) ?? 0n
}

/** AaveProtocolDataProvider, common to v2, v3 and forks. */
const dataProviderAbi = parseAbi([
  'struct TokenData { string symbol; address tokenAddress; }',
  'function getAllReservesTokens() view returns (TokenData[])',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebtToken, address variableDebtToken)',
])

/** The health factor has 18 decimals in v2 and v3. */
const poolAbi = parseAbi([
  'function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)',
])

const rewardsControllerAbi = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewardsList, uint256[] unclaimedAmounts)',
])

const incentivesControllerAbi = parseAbi([
  'function REWARD_TOKEN() view returns (address)',
  'function getRewardsBalance(address[] assets, address user) view returns (uint256)',
])

const market = z.strictObject({
  label: z.string().min(1),
  pool: addressSchema,
  dataProvider: addressSchema,
  /** v3: RewardsController; v2: IncentivesController. Absent: pays none. */
  incentives: addressSchema.optional(),
})

const deployment = z.strictObject({
  version: z.enum(['v2', 'v3']),
  markets: z.array(market).min(1),
})

type Deployment = z.infer<typeof deployment>
type Market = z.infer<typeof market>
type Scope = { reader: EvmReader; version: Deployment['version']; market: Market }
type WalletScope = Scope & PositionScope<Deployment>

/** aTokens and debt tokens grow with interest: their balances are amounts of the underlying. */
export const aave: ProtocolAdapter<Deployment> = {
  name: 'aave',
  deployment,
  /** Source: @aave-dao/aave-address-book 4.68.1, checked by a test; Spark: its address registry. */
  rows: rowsOfForks(forks),
  readsEveryWallet: true,

  async discover({ reader, deployment: { version, markets } }) {
    const found = await Promise.all(markets.map((market) => discoverMarket({ reader, version, market })))
    return found.flat()
  },

  async positions(scope) {
    const { version, markets } = scope.deployment
    const read = (market: Market) => readMarket({ ...scope, version, market })
    return (await Promise.all(markets.map(read))).flat()
  },

  async decompose({ protocolContract, amountRaw }) {
    return protocolContract.role === 'supply' ? ofUnderlying({ ...protocolContract, balanceRaw: amountRaw }) : undefined
  },

  history: aaveHistory,
}

async function discoverMarket(scope: Scope): Promise<ProtocolContract[]> {
  const { reader, market } = scope
  const dataProvider = { address: market.dataProvider, abi: dataProviderAbi } as const
  if (!(await isDeployed(reader, market.dataProvider))) return []
  const reserves = await reader.read({ ...dataProvider, functionName: 'getAllReservesTokens' })
  const found = await Promise.all(
    reserves.map(async ({ tokenAddress }) => {
      const functionName = 'getReserveTokensAddresses'
      const [supply, stable, variable] = await reader.read({ ...dataProvider, functionName, args: [tokenAddress] })
      const underlyings = [evmAddress(tokenAddress)]
      return [
        { address: evmAddress(supply), role: 'supply', fungible: true, underlyings },
        { address: evmAddress(variable), role: 'debt', fungible: false, underlyings },
        { address: evmAddress(stable), role: 'debt', fungible: false, underlyings },
      ]
    }),
  )
  const protocolContracts = found.flat().filter(({ address }) => address !== NATIVE)
  const rewards = await findRewards(scope, protocolContracts)
  return protocolContracts.map((protocolContract) => {
    const reward = rewards.get(protocolContract.address)
    return { ...protocolContract, data: { pool: market.pool, ...(reward && { reward }) } }
  })
}

/** v2 credits rewards to the wallet, so only held contracts are asked. */
async function findRewards(
  scope: Scope,
  protocolContracts: readonly ProtocolContract[],
): Promise<Map<EvmAddress, string>> {
  const { reader, version } = scope
  const address = scope.market.incentives
  if (!address || !(await isDeployed(reader, address))) return new Map()
  if (version === 'v2') {
    const token = await reader.read({ address, abi: incentivesControllerAbi, functionName: 'REWARD_TOKEN' })
    return new Map(protocolContracts.map((protocolContract) => [protocolContract.address, evmAddress(token)]))
  }
  const controller = { address, abi: rewardsControllerAbi, functionName: 'getRewardsByAsset' } as const
  const lists = await Promise.all(
    protocolContracts.map(({ address }) => reader.read({ ...controller, args: [address] })),
  )
  return new Map(protocolContracts.filter((_, i) => lists[i]?.length).map(({ address }) => [address, 'yes']))
}

async function readMarket({ protocolContracts, held: all, ...scope }: WalletScope): Promise<PositionDraft[]> {
  const { reader, market, wallet } = scope
  const inMarket = ({ data }: ProtocolContract) => data?.['pool'] === market.pool
  const held = all.filter(inMarket)
  const account =
    held.length > 0 &&
    reader.read({ address: market.pool, abi: poolAbi, functionName: 'getUserAccountData', args: [wallet] })
  const rewards = readRewards({ ...scope, protocolContracts: protocolContracts.filter(inMarket), held })
  const [data] = await Promise.all([account, rewards])
  const healthFactorRaw = data ? data[5] : maxUint256
  return [
    {
      kind: 'lending',
      label: market.label,
      pool: market.pool,
      supplied: held.filter(({ role }) => role === 'supply').flatMap(ofUnderlying),
      borrowed: held.filter(({ role }) => role === 'debt').flatMap(ofUnderlying),
      rewards: await rewards,
      receipts: held.map(({ address }) => address),
      // Without debt the pool returns the maximum uint256.
      ...(healthFactorRaw !== maxUint256 && { healthFactorRaw }),
    },
  ]
}

async function readRewards(scope: WalletScope): Promise<TokenAmount[]> {
  const { reader, version, market, wallet, protocolContracts, held } = scope
  const rewarded = (version === 'v2' ? held : protocolContracts).filter(({ data }) => data?.['reward'])
  const token = rewarded[0]?.data?.['reward']
  const address = market.incentives
  if (!address || !token) return []
  const args = [rewarded.map((protocolContract) => protocolContract.address), wallet] as const
  if (version === 'v2') {
    const balance = { address, abi: incentivesControllerAbi, functionName: 'getRewardsBalance', args } as const
    return [{ token: evmAddress(token), amountRaw: await reader.read(balance) }]
  }
  const all = { address, abi: rewardsControllerAbi, functionName: 'getAllUserRewards', args } as const
  const [tokens, amounts] = await reader.read(all)
  return tokens.map((reward, i) => ({ token: evmAddress(reward), amountRaw: amounts[i] ?? 0n }))
}

function ofUnderlying({ underlyings, balanceRaw }: HeldContract): TokenAmount[] {
  return underlyings.map((token) => ({ token, amountRaw: balanceRaw }))
}
