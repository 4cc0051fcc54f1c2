import { type Address, type Hex, parseAbi, parseEventLogs, zeroAddress } from 'viem'
import { ownArtifact, packageArtifact, packageBytecode } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

const PACKAGE = '@balancer-labs/v2-deployments'
const ONE = 10n ** 18n

const task = (folder: string, name: string) => packageArtifact(PACKAGE, `dist/tasks/${folder}/artifact/${name}.json`)
const vyper = (name: string) => packageBytecode(PACKAGE, 'dist/tasks/20220325-mainnet-gauge-factory', name)

const tokenAbi = parseAbi(['function DEFAULT_ADMIN_ROLE() view returns (bytes32)'])
const adminAbi = parseAbi(['function getActionId(bytes4 selector) view returns (bytes32)'])
const controllerAbi = parseAbi([
  'function add_type(string name, uint256 weight)',
  'function add_gauge(address gauge, int128 type, uint256 weight)',
])
const factoryAbi = parseAbi([
  'function create(address pool) returns (address)',
  'event GaugeCreated(address indexed gauge, address indexed pool)',
])
const ACTIVATE = '0x0f15f4c0'
const MINT = '0x40c10f19'

/** From Vyper's bytecode: Balancer's copy of Curve's. Emits BAL. */
export const deployGauges = async (chain: DevChain, weth: Address) => {
  const { deployer } = accounts
  const contracts = {
    authorizer: task('20210418-authorizer', 'Authorizer'),
    token: task('20220325-test-balancer-token', 'TestBalancerToken'),
    admin: task('20220325-balancer-token-admin', 'BalancerTokenAdmin'),
  }
  const authorizer = await chain.deploy(contracts.authorizer, [deployer])
  const vault = await chain.deploy(task('20210418-vault', 'Vault'), [authorizer, weth, 0n, 0n])
  const adaptor = await chain.deploy(task('20220325-authorizer-adaptor', 'AuthorizerAdaptor'), [vault])
  const token = await chain.deploy(contracts.token, [deployer, 'BAL', 'BAL'])
  const locks = task('20220325-gauge-controller', 'VotingEscrow')
  const escrow = await chain.deploy(locks, [token, 'Vote escrow', 'veTOKEN', adaptor])
  const controller = await chain.deploy(task('20220325-gauge-controller', 'GaugeController'), [escrow, adaptor])
  const admin = await chain.deploy(contracts.admin, [vault, token])
  const all = await chain.client.readContract({ address: token, abi: tokenAbi, functionName: 'DEFAULT_ADMIN_ROLE' })
  const allow = async (selector: Hex, who: Address) => {
    const view = { address: admin, abi: adminAbi, functionName: 'getActionId', args: [selector] } as const
    const role = await chain.client.readContract(view)
    await chain.admin(authorizer, contracts.authorizer, 'grantRole', [role, who])
  }
  await allow(ACTIVATE, deployer)
  await chain.admin(token, contracts.token, 'grantRole', [all, admin])
  await chain.admin(token, contracts.token, 'mint', [deployer, 10n ** 24n])
  await chain.admin(admin, contracts.admin, 'activate')
  const minter = await chain.deploy(task('20220325-gauge-controller', 'BalancerMinter'), [admin, controller])
  await allow(MINT, minter)
  const proxy = task('20220325-ve-delegation', 'VotingEscrowDelegationProxy')
  const boost = await chain.deploy(proxy, [vault, escrow, zeroAddress])
  const gauge = await chain.deploy(vyper('LiquidityGaugeV5'), [minter, boost, adaptor])
  const factory = await chain.deploy(vyper('LiquidityGaugeFactory'), [gauge])
  const vote = { from: adaptor, address: controller, abi: controllerAbi } as const
  await chain.write({ ...vote, functionName: 'add_type', args: ['Ethereum', ONE] })
  return { vault, authorizer, token, escrow, controller, minter, factory, adaptor, holder: deployer }
}

export type Gauges = Awaited<ReturnType<typeof deployGauges>>

/** `isVoted`: with a weight. */
export const createGauge = async (
  chain: DevChain,
  { factory, controller, adaptor }: Gauges,
  share: Address,
  isVoted = true,
): Promise<Address> => {
  const call = { from: accounts.deployer, address: factory, abi: factoryAbi } as const
  const { logs } = await chain.write({ ...call, functionName: 'create', args: [share] })
  const [created] = parseEventLogs({ abi: factoryAbi, logs, eventName: 'GaugeCreated' })
  if (!created) throw new Error('the factory made no gauge')
  const { gauge } = created.args
  const vote = { from: adaptor, address: controller, abi: controllerAbi, functionName: 'add_gauge' } as const
  if (isVoted) await chain.write({ ...vote, args: [gauge, 0n, ONE] })
  return gauge
}

export type CurveKind = { isCrypto?: boolean; isOld?: boolean; isRebasing?: boolean }

export const deployCurvePool = async (chain: DevChain, coins: readonly Address[], kind: CurveKind = {}) => {
  const { isCrypto = false, isOld = false, isRebasing = false } = kind
  const pool = await chain.deploy(ownArtifact('CurvePool'), [coins, { isCrypto, isOld, isRebasing }, 'crvPool'])
  const abi = parseAbi(['function token() view returns (address)'])
  return { pool, token: await chain.client.readContract({ address: pool, abi, functionName: 'token' }) }
}
