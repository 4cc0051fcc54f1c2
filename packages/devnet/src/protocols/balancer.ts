import {
  type Address,
  encodeAbiParameters,
  type Hex,
  parseAbi,
  parseEventLogs,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { packageArtifact, packageBytecode } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Gauges } from './curve.ts'

const PACKAGE = '@balancer-labs/v2-deployments'
const ONE = 10n ** 18n
const task = (folder: string, name: string) => packageArtifact(PACKAGE, `dist/tasks/${folder}/artifact/${name}.json`)

const balancerVaultAbi = parseAbi([
  'struct JoinRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
  'struct ExitRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }',
  'struct Swap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function joinPool(bytes32 poolId, address sender, address recipient, JoinRequest request) payable',
  'function exitPool(bytes32 poolId, address sender, address recipient, ExitRequest request)',
  'function swap(Swap single, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256)',
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  'function getProtocolFeesCollector() view returns (address)',
])
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getActionId(bytes4 selector) view returns (bytes32)',
  'function enableRecoveryMode()',
])
const collectorAbi = parseAbi([
  'function getActionId(bytes4 selector) view returns (bytes32)',
  'function setSwapFeePercentage(uint256 newSwapFeePercentage)',
])
const factoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256[] weights, address[] rateProviders, uint256 fee, address owner)',
  'event PoolCreated(address indexed pool)',
])
const stableFactoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256 amplification, address[] rateProviders, uint256[] durations, bool[] exempt, uint256 fee, address owner)',
])
const phantomFactoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256 amplification, address[] rateProviders, uint256[] durations, uint256 fee, address owner)',
])
const firstFactoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256[] weights, uint256 fee, address owner)',
])
const authorizer2021 = task('20210418-authorizer', 'Authorizer')

/** The protocol takes half of all swap fees. */
export const deployBalancer = async (chain: DevChain, { vault, authorizer }: Gauges) => {
  const provider = await chain.deploy(
    task('20220725-protocol-fee-percentages-provider', 'ProtocolFeePercentagesProvider'),
    [vault, ONE / 2n, ONE / 2n],
  )
  const collector = await chain.client.readContract({
    ...{ address: vault, abi: balancerVaultAbi, functionName: 'getProtocolFeesCollector' },
  })
  const selector = toFunctionSelector('setSwapFeePercentage(uint256)')
  const role = await chain.client.readContract({
    ...{ address: collector, abi: collectorAbi, functionName: 'getActionId', args: [selector] },
  })
  await chain.admin(authorizer, authorizer2021, 'grantRole', [role, accounts.deployer])
  const setFee = { from: accounts.deployer, address: collector, abi: collectorAbi } as const
  await chain.write({ ...setFee, functionName: 'setSwapFeePercentage', args: [ONE / 2n] })
  const made = [vault, provider, 'factory', 'pool'] as const
  const old = (folder: string, name: string) => packageBytecode(PACKAGE, `dist/tasks/${folder}`, name)
  const queries = await chain.deploy(task('20220721-balancer-queries', 'BalancerQueries'), [vault])
  const factories = {
    weighted: await chain.deploy(task('20230206-weighted-pool-v3', 'WeightedPoolFactory'), made),
    stable: await chain.deploy(task('20230206-composable-stable-pool-v3', 'ComposableStablePoolFactory'), made),
    first: await chain.deploy(old('20210418-weighted-pool', 'WeightedPoolFactory'), [vault]),
    phantom: await chain.deploy(old('deprecated/20211208-stable-phantom-pool', 'StablePhantomPoolFactory'), [vault]),
  }
  return { vault, authorizer, queries, factories }
}

export type Balancer = Awaited<ReturnType<typeof deployBalancer>>

export type BalancerPool = { pool: Address; id: Hex; tokens: readonly Address[] }

type Create = {
  kind: keyof Balancer['factories']
  coins: readonly Address[]
  /** Cached by pools for an hour. */
  rates?: Readonly<Record<Address, Address>>
}

/**
 * Fee: 1 %. `first` is from 2021, `weighted` from 2023. `stable` has its own share among its tokens. The share of
 * `phantom` (2021) is only traded.
 */
export const createBalancerPool = async (
  chain: DevChain,
  { vault, factories }: Balancer,
  { kind, coins, rates = {} }: Create,
): Promise<BalancerPool> => {
  const own = [...coins].toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const providers = own.map((coin) => rates[coin] ?? zeroAddress)
  const durations = own.map((coin) => (rates[coin] ? 3_600n : 0n))
  const last = own.length - 1
  const weights = own.map((_, i) => (i === last ? ONE - (ONE / 5n) * BigInt(last) : ONE / 5n))
  const fee = ONE / 100n
  const call = { from: accounts.deployer, address: factories[kind], functionName: 'create' } as const
  const name = ['Balancer pool', 'BPT', own] as const
  const exempt = own.map(() => false)
  const made = {
    weighted: () => chain.write({ ...call, abi: factoryAbi, args: [...name, weights, providers, fee, zeroAddress] }),
    first: () => chain.write({ ...call, abi: firstFactoryAbi, args: [...name, weights, fee, zeroAddress] }),
    stable: () =>
      chain.write({
        ...call,
        abi: stableFactoryAbi,
        args: [...name, 200n, providers, durations, exempt, fee, zeroAddress],
      }),
    phantom: () =>
      chain.write({ ...call, abi: phantomFactoryAbi, args: [...name, 200n, providers, durations, fee, zeroAddress] }),
  }
  const { logs } = await made[kind]()
  const [created] = parseEventLogs({ abi: factoryAbi, logs, eventName: 'PoolCreated' })
  if (!created) throw new Error('the factory made no pool')
  const { pool } = created.args
  const id = await chain.client.readContract({ address: pool, abi: poolAbi, functionName: 'getPoolId' })
  const of = { address: vault, abi: balancerVaultAbi, functionName: 'getPoolTokens', args: [id] } as const
  const [tokens] = await chain.client.readContract(of)
  return { pool, id, tokens }
}

/** The zero address makes the vault wrap and unwrap. */
const assetsOf = ({ tokens }: BalancerPool, wrapped?: Address) =>
  tokens.map((token) => (token === wrapped ? zeroAddress : token))

/** Amounts in the order of `tokens`, own share included. `wrapped`: paid as native coin. */
export const joinBalancerPool = (
  chain: DevChain,
  wallet: Address,
  { vault }: Pick<Balancer, 'vault'>,
  made: BalancerPool,
  { amounts, isFirst = false, wrapped }: { amounts: readonly bigint[]; isFirst?: boolean; wrapped?: Address },
) => {
  const { pool, id, tokens } = made
  const named = isFirst ? amounts : amounts.filter((_, i) => tokens[i] !== pool)
  const userData = isFirst
    ? encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256[]' }], [0n, named])
    : encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256[]' }, { type: 'uint256' }], [1n, named, 0n])
  const most = tokens.map(() => 2n ** 255n)
  const request = { assets: assetsOf(made, wrapped), maxAmountsIn: most, userData, fromInternalBalance: false }
  const call = { from: wallet, address: vault, abi: balancerVaultAbi, functionName: 'joinPool' } as const
  const value = amounts.find((_, i) => tokens[i] === wrapped) ?? 0n
  return chain.write({ ...call, value, args: [id, wallet, wallet, request] })
}

const RECOVERY_EXIT = 255n

/** Composable pools number this exit differently. `isRecovery`: the exit of recovery mode. */
export const exitBalancerPool = (
  chain: DevChain,
  wallet: Address,
  { vault }: Pick<Balancer, 'vault'>,
  made: BalancerPool,
  { shares, isRecovery = false, wrapped }: { shares: bigint; isRecovery?: boolean; wrapped?: Address },
) => {
  const { pool, id, tokens } = made
  const usual = tokens.includes(pool) ? 2n : 1n
  const kind = isRecovery ? RECOVERY_EXIT : usual
  const userData = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [kind, shares])
  const least = tokens.map(() => 0n)
  const request = { assets: assetsOf(made, wrapped), minAmountsOut: least, userData, toInternalBalance: false }
  const call = { from: wallet, address: vault, abi: balancerVaultAbi, functionName: 'exitPool' } as const
  return chain.write({ ...call, args: [id, wallet, wallet, request] })
}

/** Also for the pool's share. The fee is 1 %, half of it the protocol's. */
export const tradeInBalancerPool = (
  chain: DevChain,
  wallet: Address,
  { vault }: Pick<Balancer, 'vault'>,
  { id }: BalancerPool,
  { assetIn, assetOut, amount }: { assetIn: Address; assetOut: Address; amount: bigint },
) => {
  const single = { poolId: id, kind: 0, assetIn, assetOut, amount, userData: '0x' } as const
  const funds = { sender: wallet, fromInternalBalance: false, recipient: wallet, toInternalBalance: false }
  const call = { from: wallet, address: vault, abi: balancerVaultAbi, functionName: 'swap' } as const
  return chain.write({ ...call, args: [single, funds, 0n, 2n ** 255n] })
}

export const recoverBalancerPool = async (chain: DevChain, { authorizer }: Balancer, pool: Address) => {
  const { deployer: from } = accounts
  const selector = toFunctionSelector('enableRecoveryMode()')
  const view = { address: pool, abi: poolAbi, functionName: 'getActionId', args: [selector] } as const
  const role = await chain.client.readContract(view)
  await chain.admin(authorizer, authorizer2021, 'grantRole', [role, from])
  await chain.write({ from, address: pool, abi: poolAbi, functionName: 'enableRecoveryMode' })
}

/** Pays fees in any token to lockers, from the next week on. */
export const deployBalancerFees = async (chain: DevChain, { escrow }: Gauges) => {
  const { timestamp } = await chain.client.getBlock()
  return chain.deploy(task('20220714-fee-distributor-v2', 'FeeDistributor'), [escrow, timestamp + 7n * 86_400n])
}

const streamerAbi = parseAbi([
  'function set_reward_distributor(address token, address distributor)',
  'function notify_reward_amount(address token)',
])
const rewardsFactoryAbi = parseAbi([
  'function create(address pool) returns (address)',
  'event RewardsOnlyGaugeCreated(address indexed gauge, address indexed pool, address streamer)',
])

/** Gauges of other chains from 2022: they pay BAL like other rewards. */
export const deployRewardsGauges = async (chain: DevChain, { vault, token, adaptor }: Gauges) => {
  const of = (name: string) => task('20220413-child-chain-gauge-factory', name)
  const gauge = await chain.deploy(of('RewardsOnlyGauge'), [token, vault, adaptor])
  const streamer = await chain.deploy(of('ChildChainStreamer'), [token, adaptor])
  return chain.deploy(of('ChildChainLiquidityGaugeFactory'), [gauge, streamer])
}

/** `stream` pays the streamer's BAL over a week. */
export const createRewardsGauge = async (
  chain: DevChain,
  { token, adaptor }: Gauges,
  factory: Address,
  pool: Address,
) => {
  const call = { from: accounts.deployer, address: factory, abi: rewardsFactoryAbi } as const
  const { logs } = await chain.write({ ...call, functionName: 'create', args: [pool] })
  const [created] = parseEventLogs({ abi: rewardsFactoryAbi, logs, eventName: 'RewardsOnlyGaugeCreated' })
  if (!created) throw new Error('the factory made no gauge')
  const { gauge, streamer } = created.args
  const at = { address: streamer, abi: streamerAbi } as const
  const pay = { ...at, functionName: 'set_reward_distributor', args: [token, accounts.deployer] } as const
  await chain.write({ from: adaptor, ...pay })
  const stream = () =>
    chain.write({ ...at, from: accounts.deployer, functionName: 'notify_reward_amount', args: [token] })
  return { gauge, streamer, stream }
}
