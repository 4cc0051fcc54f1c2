import { type Address, parseAbi, zeroAddress } from 'viem'
import { hardhatArtifacts, link } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Reserve } from './aave-v3.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = {
  provider: Address
  pool: Address
  configurator: Address
  dataProvider: Address
  oracle: Address
  rateOracle: Address
  collateralManager: Address
  collector: Address
}

/** As in version 3, but feeds answer in ether. The wrapped native coin needs no feed. */
type Market = { name: string; weth: Address; reserves: readonly Reserve[] }

const protocol = hardhatArtifacts('@aave/protocol-v2')
const RAY = 10n ** 27n
const VARIABLE_RATE = 2n
const LIQUIDATION_BONUS = 10_500n
/** aToken, stable debt and variable debt. */
const PROXIES_PER_RESERVE = 3
const FIRST_NONCE = 1

const deployPool = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  const provider = protocol('protocol/configuration/LendingPoolAddressesProvider')
  const logic = (name: string) => protocol(`protocol/libraries/logic/${name}`)
  const GenericLogic = await chain.deploy(logic('GenericLogic'))
  const ValidationLogic = await chain.deploy(link(logic('ValidationLogic'), { GenericLogic }))
  const ReserveLogic = await chain.deploy(logic('ReserveLogic'))
  const libraries = { GenericLogic, ValidationLogic, ReserveLogic }
  await chain.deployTo(at.provider, provider, [market.name])
  await chain.admin(at.provider, provider, 'setPoolAdmin', [accounts.deployer])
  await chain.admin(at.provider, provider, 'setEmergencyAdmin', [accounts.deployer])
  const pool = await chain.deploy(link(protocol('protocol/lendingpool/LendingPool'), libraries))
  const configurator = await chain.deploy(protocol('protocol/lendingpool/LendingPoolConfigurator'))
  await chain.admin(at.provider, provider, 'setLendingPoolImpl', [pool])
  await chain.admin(at.provider, provider, 'setLendingPoolConfiguratorImpl', [configurator])
  await chain.deployTo(at.collateralManager, protocol('protocol/lendingpool/LendingPoolCollateralManager'))
  await chain.admin(at.provider, provider, 'setLendingPoolCollateralManager', [at.collateralManager])
}

const deployViews = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  const provider = protocol('protocol/configuration/LendingPoolAddressesProvider')
  const priced = market.reserves.filter((reserve) => reserve.token !== market.weth)
  await chain.deployTo(at.oracle, protocol('misc/AaveOracle'), [
    priced.map((reserve) => reserve.token),
    priced.map((reserve) => reserve.feed),
    zeroAddress,
    market.weth,
  ])
  await chain.admin(at.provider, provider, 'setPriceOracle', [at.oracle])
  await chain.deployTo(at.rateOracle, protocol('mocks/oracle/LendingRateOracle'))
  await chain.admin(at.provider, provider, 'setLendingRateOracle', [at.rateOracle])
  await chain.deployTo(at.dataProvider, protocol('misc/AaveProtocolDataProvider'), [at.provider])
}

const listReserve = async (chain: DevChain, at: Deployment, strategy: Address, reserve: Reserve): Promise<void> => {
  const configurator = protocol('protocol/lendingpool/LendingPoolConfigurator')
  const token = (name: string, args: readonly unknown[]) =>
    chain.deploy(protocol(`protocol/tokenization/${name}`), args)
  const { symbol } = reserve
  const supply = [at.pool, reserve.token, at.collector, `Aave interest bearing ${symbol}`, `a${symbol}`, zeroAddress]
  const debt = (kind: string) => [
    ...[at.pool, reserve.token, `Aave ${kind} debt bearing ${symbol}`, `${kind}Debt${symbol}`, zeroAddress],
  ]
  const implementations = [
    await token('AToken', supply),
    await token('StableDebtToken', debt('stable')),
    await token('VariableDebtToken', debt('variable')),
  ]
  const nonce = FIRST_NONCE + PROXIES_PER_RESERVE * reserve.id
  await chain.client.setNonce({ address: at.configurator, nonce })
  const admin = (functionName: string, args: readonly unknown[]) =>
    chain.admin(at.configurator, configurator, functionName, args)
  await admin('initReserve', [...implementations, reserve.decimals, strategy])
  const limits = [reserve.token, reserve.ltv, reserve.liquidationThreshold, LIQUIDATION_BONUS]
  await admin('configureReserveAsCollateral', limits)
  await admin('enableBorrowingOnReserve', [reserve.token, false])
}

/** Every proxy and aToken has its real address. */
export const deployAaveV2 = async (chain: DevChain, at: Deployment, market: Market): Promise<void> => {
  await deployPool(chain, at, market)
  await deployViews(chain, at, market)
  const percent = (value: bigint) => (RAY * value) / 100n
  const rates = [80n, 0n, 4n, 75n, 2n, 75n].map(percent)
  const strategy = await chain.deploy(protocol('protocol/lendingpool/DefaultReserveInterestRateStrategy'), [
    at.provider,
    ...rates,
  ])
  for (const reserve of market.reserves) await listReserve(chain, at, strategy, reserve)
}

const poolAbi = parseAbi([
  'function deposit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 rateMode, address onBehalfOf) returns (uint256)',
])

/** An amount of 2^256 - 1 withdraws or repays everything. */
export const aaveV2Actions = (chain: DevChain, at: { pool: Address }, erc20: Erc20Actions) => {
  const pool = { address: at.pool, abi: poolAbi } as const
  return {
    supply: async (wallet: Address, token: Address, amount: bigint) => {
      await erc20.allow(token, wallet, at.pool)
      return chain.write({ from: wallet, ...pool, functionName: 'deposit', args: [token, amount, wallet, 0] })
    },
    withdraw: (wallet: Address, token: Address, amount: bigint) =>
      chain.write({ from: wallet, ...pool, functionName: 'withdraw', args: [token, amount, wallet] }),
    borrow: (wallet: Address, token: Address, amount: bigint) =>
      chain.write({ from: wallet, ...pool, functionName: 'borrow', args: [token, amount, VARIABLE_RATE, 0, wallet] }),
    repay: async (wallet: Address, token: Address, amount: bigint) => {
      await erc20.allow(token, wallet, at.pool)
      return chain.write({ from: wallet, ...pool, functionName: 'repay', args: [token, amount, VARIABLE_RATE, wallet] })
    },
  }
}
