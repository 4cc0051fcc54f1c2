import { type Address, erc20Abi, keccak256, maxUint256, pad, parseAbi, toHex, zeroAddress } from 'viem'
import { type Artifact, hardhatArtifacts, link } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = {
  provider: Address
  pool: Address
  configurator: Address
  aclManager: Address
  dataProvider: Address
  oracle: Address
  rewards: Address
  emissionManager: Address
  collector: Address
}

export type Reserve = {
  symbol: string
  token: Address
  decimals: number
  feed: Address
  /** From the real market: determines the addresses of its tokens. */
  id: number
  /** In hundredths of a percent. */
  ltv: number
  liquidationThreshold: number
}

type Market = { name: string; prefix: string; reserves: readonly Reserve[] }

const core = hardhatArtifacts('@aave/core-v3')
const periphery = hardhatArtifacts('@aave/periphery-v3')
const RAY = 10n ** 27n
const USD = 10n ** 8n
const VARIABLE_RATE = 2n
const LIQUIDATION_BONUS = 10_500n
/** aToken, stable debt and variable debt. */
const PROXIES_PER_RESERVE = 3
const FIRST_NONCE = 1
const EMISSION_MANAGER_SLOT = 0
/** In link order: the last needs the second. */
const LIBRARIES = [
  ...['SupplyLogic', 'BorrowLogic', 'LiquidationLogic', 'EModeLogic', 'BridgeLogic', 'ConfiguratorLogic'],
  ...['PoolLogic', 'FlashLoanLogic'],
]

const deployLibraries = async (chain: DevChain): Promise<Record<string, Address>> => {
  const libraries: Record<string, Address> = {}
  for (const name of LIBRARIES) {
    libraries[name] = await chain.deploy(link(core(`protocol/libraries/logic/${name}`), libraries))
  }
  return libraries
}

/** The proxies' addresses derive from the provider's and their order. */
const deployPool = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  const provider = core('protocol/configuration/PoolAddressesProvider')
  const acl = core('protocol/configuration/ACLManager')
  const libraries = await deployLibraries(chain)
  await chain.deployTo(at.provider, provider, [market.name, accounts.deployer])
  await chain.admin(at.provider, provider, 'setACLAdmin', [accounts.deployer])
  await chain.deployTo(at.aclManager, acl, [at.provider])
  await chain.admin(at.provider, provider, 'setACLManager', [at.aclManager])
  for (const role of ['addPoolAdmin', 'addAssetListingAdmin', 'addRiskAdmin']) {
    await chain.admin(at.aclManager, acl, role, [accounts.deployer])
  }
  const pool = await chain.deploy(link(core('protocol/pool/Pool'), libraries), [at.provider])
  const configurator = await chain.deploy(link(core('protocol/pool/PoolConfigurator'), libraries))
  await chain.admin(at.provider, provider, 'setPoolImpl', [pool])
  await chain.admin(at.provider, provider, 'setPoolConfiguratorImpl', [configurator])
}

const deployViews = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  const provider = core('protocol/configuration/PoolAddressesProvider')
  const tokens = market.reserves.map((reserve) => reserve.token)
  const feeds = market.reserves.map((reserve) => reserve.feed)
  await chain.deployTo(at.oracle, core('misc/AaveOracle'), [at.provider, tokens, feeds, zeroAddress, zeroAddress, USD])
  await chain.admin(at.provider, provider, 'setPriceOracle', [at.oracle])
  await chain.deployTo(at.dataProvider, core('misc/AaveProtocolDataProvider'), [at.provider])
  await chain.admin(at.provider, provider, 'setPoolDataProvider', [at.dataProvider])
}

const deployRewards = async (chain: DevChain, at: Deployment): Promise<void> => {
  const provider = core('protocol/configuration/PoolAddressesProvider')
  const controller = await chain.deploy(periphery('rewards/RewardsController'))
  await chain.deployTo(at.emissionManager, periphery('rewards/EmissionManager'), [at.rewards, accounts.deployer])
  const id = keccak256(toHex('INCENTIVES_CONTROLLER'))
  await chain.admin(at.provider, provider, 'setAddressAsProxy', [id, controller])
  // This version's `initialize` takes the calling provider for the emission manager. The real market fixed that by an
  // upgrade.
  const value = pad(at.emissionManager, { size: 32 })
  await chain.client.setStorageAt({ address: at.rewards, index: EMISSION_MANAGER_SLOT, value })
}

/** Paid from the market account. */
export const startRewards = async (
  chain: DevChain,
  at: Deployment,
  stream: { asset: Address; reward: Address; feed: Address; perSecond: bigint; end: number },
): Promise<void> => {
  const manager = periphery('rewards/EmissionManager')
  await chain.admin(at.emissionManager, manager, 'setEmissionAdmin', [stream.reward, accounts.deployer])
  const strategy = await chain.deploy(periphery('rewards/transfer-strategies/PullRewardsTransferStrategy'), [
    ...[at.rewards, accounts.deployer, accounts.market],
  ])
  const payment = { address: stream.reward, abi: erc20Abi, functionName: 'approve' } as const
  await chain.write({ from: accounts.market, ...payment, args: [strategy, maxUint256] })
  const config = {
    emissionPerSecond: stream.perSecond,
    totalSupply: 0n,
    distributionEnd: stream.end,
    asset: stream.asset,
    reward: stream.reward,
    transferStrategy: strategy,
    rewardOracle: stream.feed,
  }
  await chain.admin(at.emissionManager, manager, 'configureAssets', [[config]])
}

const deployImplementations = async (chain: DevChain, at: Deployment) => {
  const deployToken = (name: string) => chain.deploy(core(`protocol/tokenization/${name}`), [at.pool])
  const percent = (value: bigint) => (RAY * value) / 100n
  const rates = [80n, 0n, 4n, 60n, 2n, 60n, 2n, 5n, 20n].map(percent)
  return {
    aTokenImpl: await deployToken('AToken'),
    stableDebtTokenImpl: await deployToken('StableDebtToken'),
    variableDebtTokenImpl: await deployToken('VariableDebtToken'),
    interestRateStrategyAddress: await chain.deploy(core('protocol/pool/DefaultReserveInterestRateStrategy'), [
      at.provider,
      ...rates,
    ]),
  }
}

type Implementations = Awaited<ReturnType<typeof deployImplementations>>

const listReserve = async (
  chain: DevChain,
  at: Deployment,
  market: Market,
  implementations: Implementations,
  reserve: Reserve,
): Promise<void> => {
  const configurator: Artifact = core('protocol/pool/PoolConfigurator')
  const names = { name: `Aave ${market.prefix}`, symbol: `${market.prefix.slice(0, 3)}${reserve.symbol}` }
  const nonce = FIRST_NONCE + PROXIES_PER_RESERVE * reserve.id
  await chain.client.setNonce({ address: at.configurator, nonce })
  const input = {
    ...implementations,
    underlyingAsset: reserve.token,
    underlyingAssetDecimals: reserve.decimals,
    treasury: at.collector,
    incentivesController: at.rewards,
    aTokenName: `${names.name} ${reserve.symbol}`,
    aTokenSymbol: `a${names.symbol}`,
    variableDebtTokenName: `${names.name} Variable Debt ${reserve.symbol}`,
    variableDebtTokenSymbol: `variableDebt${names.symbol}`,
    stableDebtTokenName: `${names.name} Stable Debt ${reserve.symbol}`,
    stableDebtTokenSymbol: `stableDebt${names.symbol}`,
    params: '0x10',
  }
  await chain.admin(at.configurator, configurator, 'initReserves', [[input]])
  const limits = [reserve.token, reserve.ltv, reserve.liquidationThreshold, LIQUIDATION_BONUS]
  await chain.admin(at.configurator, configurator, 'configureReserveAsCollateral', limits)
  await chain.admin(at.configurator, configurator, 'setReserveBorrowing', [reserve.token, true])
}

/** Every proxy and aToken has its real address. */
export const deployAaveV3 = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  await deployPool(chain, at, market)
  await deployRewards(chain, at)
  await deployViews(chain, at, market)
  const implementations = await deployImplementations(chain, at)
  for (const reserve of market.reserves) await listReserve(chain, at, market, implementations, reserve)
}

const poolAbi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) returns (uint256)',
  'function setUserUseReserveAsCollateral(address asset, bool useAsCollateral)',
  'function setUserEMode(uint8 categoryId)',
])

/** An amount of 2^256 - 1 withdraws or repays everything. */
export const aaveV3Actions = (chain: DevChain, at: { pool: Address; rewards: Address }, erc20: Erc20Actions) => {
  const pool = { address: at.pool, abi: poolAbi } as const
  const rewardsAbi = parseAbi([
    'function claimAllRewardsToSelf(address[] assets) returns (address[] rewardsList, uint256[] claimedAmounts)',
  ])
  return {
    supply: async (wallet: Address, token: Address, amount: bigint) => {
      await erc20.allow(token, wallet, at.pool)
      return chain.write({ from: wallet, ...pool, functionName: 'supply', args: [token, amount, wallet, 0] })
    },
    withdraw: (wallet: Address, token: Address, amount: bigint) =>
      chain.write({ from: wallet, ...pool, functionName: 'withdraw', args: [token, amount, wallet] }),
    borrow: (wallet: Address, token: Address, amount: bigint) =>
      chain.write({ from: wallet, ...pool, functionName: 'borrow', args: [token, amount, VARIABLE_RATE, 0, wallet] }),
    repay: async (wallet: Address, token: Address, amount: bigint) => {
      await erc20.allow(token, wallet, at.pool)
      return chain.write({ from: wallet, ...pool, functionName: 'repay', args: [token, amount, VARIABLE_RATE, wallet] })
    },
    useAsCollateral: (wallet: Address, token: Address, use: boolean) =>
      chain.write({ from: wallet, ...pool, functionName: 'setUserUseReserveAsCollateral', args: [token, use] }),
    claim: (wallet: Address, assets: readonly Address[]) => {
      const call = { address: at.rewards, abi: rewardsAbi, functionName: 'claimAllRewardsToSelf' } as const
      return chain.write({ from: wallet, ...call, args: [assets] })
    },
  }
}
