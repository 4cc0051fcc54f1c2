import { parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import { addStrategy, deployEigenLayer } from '../protocols/eigenlayer.ts'
import { collector, type Exhibit, provider, row } from './stage.ts'

const { tokens } = addresses.ethereum
const DAY_SECONDS = 86_400
const BLOCK_SECONDS = 12
const EIGENLAYER_DELAY_BLOCKS = (14 * DAY_SECONDS) / BLOCK_SECONDS

const hubAbi = parseAbi([
  'struct Queued { address[] strategies; uint256[] depositShares; address withdrawer; }',
  'function depositIntoStrategy(address strategy, address token, uint256 amount) returns (uint256)',
  'function queueWithdrawals(Queued[] params)',
  'function stakerDepositShares(address staker, address strategy) view returns (uint256)',
])
const eethAbi = parseAbi(['function submit(address referral) payable returns (uint256)'])
const queueAbi = parseAbi([
  'function requestWithdraw(address recipient, uint256 amount) returns (uint256)',
  'function finalizeRequests(uint256 id, bool isLegacy) payable',
])
const nodeAbi = parseAbi([
  'function registerNode()',
  'function stakeRPL(uint256 amount)',
  'function unstakeRPL(uint256 amount)',
  'function deposit(uint256 bond) payable',
])
const umbrellaAbi = parseAbi([
  'function REWARDS_CONTROLLER() view returns (address)',
  'function deposit(uint256 assets, address receiver)',
  'function cooldown()',
])
const controllerAbi = parseAbi(['function addReward(address reward, uint256 emission)'])
const ratedAbi = parseAbi(['function set(uint256 figure, bool refuses)', 'function deposit(uint256 amount) payable'])

/** A quarter is in withdrawal. */
export const openEigenLayer: Exhibit = async ({ chain, actions: { erc20 } }) => {
  const { hub, eigen, eigenStrategy } = await deployEigenLayer(chain, EIGENLAYER_DELAY_BLOCKS, tokens.link)
  const strategy = await addStrategy(chain, hub, tokens.uni)
  const amount = parseEther('400')
  await erc20.mint(tokens.uni, collector, amount)
  await erc20.allow(tokens.uni, collector, hub)
  const at = { address: hub, abi: hubAbi } as const
  const args = [strategy, tokens.uni, amount] as const
  await chain.write({ from: collector, ...at, functionName: 'depositIntoStrategy', args })
  const view = { ...at, functionName: 'stakerDepositShares', args: [collector, strategy] } as const
  const quarter = (await chain.client.readContract(view)) / 4n
  const queued = { strategies: [strategy], depositShares: [quarter], withdrawer: zeroAddress }
  await chain.write({ from: collector, ...at, functionName: 'queueWithdrawals', args: [[queued]] })
  return [
    row('eigenlayer', 'local_eigenlayer', 'EigenLayer', {
      ...{ delegationManager: hub, strategyManager: hub, eigenPodManager: hub, rewardsCoordinator: hub },
      ...{ strategies: [strategy], wrapped: [{ strategy: eigenStrategy, token: eigen }], blockSeconds: BLOCK_SECONDS },
    }),
  ]
}

/** One withdrawal is claimable, one pending. */
export const openEtherFi: Exhibit = async ({ chain, actions: { erc20, native } }) => {
  const eEth = await chain.deploy(ownArtifact('StakedEther'))
  const weEth = await chain.deploy(ownArtifact('WrappedStakedEther'), [eEth])
  const queue = await chain.deploy(ownArtifact('WithdrawRequests'), [eEth, weEth])
  const value = parseEther('6')
  await native.give(collector, value)
  const stake = { address: eEth, abi: eethAbi, functionName: 'submit' } as const
  await chain.write({ from: collector, ...stake, args: [zeroAddress], value })
  await erc20.allow(eEth, collector, queue)
  const at = { address: queue, abi: queueAbi } as const
  for (const amount of [parseEther('1'), parseEther('1.5')])
    await chain.write({ from: collector, ...at, functionName: 'requestWithdraw', args: [collector, amount] })
  await chain.write({ from: provider, ...at, functionName: 'finalizeRequests', args: [1n, false] })
  const deployment = { eEth, weEth, liquidityPool: queue, withdrawRequestNft: queue, withdrawAdapter: queue }
  return [row('ether_fi', 'local_etherfi', 'ether.fi', deployment)]
}

/** UNI stands for RPL. Part of it is unstaking. */
export const openRocketPool: Exhibit = async ({ chain, actions: { erc20, native } }) => {
  const rpl = tokens.uni
  const store = await chain.deploy(ownArtifact('RocketNode'), [rpl, true])
  const node = { from: collector, address: store, abi: nodeAbi } as const
  await chain.write({ ...node, functionName: 'registerNode' })
  await erc20.mint(rpl, collector, parseEther('300'))
  await erc20.allow(rpl, collector, store)
  await chain.write({ ...node, functionName: 'stakeRPL', args: [parseEther('300')] })
  await chain.write({ ...node, functionName: 'unstakeRPL', args: [parseEther('50')] })
  const bond = parseEther('4')
  await native.give(collector, bond)
  await chain.write({ ...node, functionName: 'deposit', args: [bond], value: bond })
  return [row('rocket_pool', 'local_rocketpool', 'Rocket Pool nodes', { store, rpl })]
}

export const openUmbrella: Exhibit = async ({ chain, actions: { erc20 } }) => {
  const args = [tokens.usdc, provider, 20 * DAY_SECONDS, 2 * DAY_SECONDS] as const
  const stake = await chain.deploy(ownArtifact('UmbrellaStake'), args)
  const at = { address: stake, abi: umbrellaAbi } as const
  const controller = await chain.client.readContract({ ...at, functionName: 'REWARDS_CONTROLLER' })
  await erc20.mint(tokens.uni, provider, parseEther('10000'))
  await erc20.allow(tokens.uni, provider, controller)
  const reward = { address: controller, abi: controllerAbi, functionName: 'addReward' } as const
  await chain.write({ from: provider, ...reward, args: [tokens.uni, parseEther('0.0001')] })
  const amount = parseUnits('4000', 6)
  await erc20.mint(tokens.usdc, collector, amount)
  await erc20.allow(tokens.usdc, collector, stake)
  await chain.write({ from: collector, ...at, functionName: 'deposit', args: [amount, collector] })
  await chain.write({ from: collector, ...at, functionName: 'cooldown' })
  return [row('cooldown_stakes', 'local_umbrella', 'Umbrella', { shape: 'umbrella', controller, stakes: [stake] })]
}

/** The token was bought at par and is worth more since. */
export const openRateToken: Exhibit = async ({ chain, actions: { native } }) => {
  const token = await chain.deploy(ownArtifact('RatedToken'), ['rETH', 18, 18, zeroAddress])
  const value = parseEther('3')
  await native.give(collector, value)
  const at = { address: token, abi: ratedAbi } as const
  await chain.write({ from: collector, ...at, functionName: 'deposit', args: [0n], value })
  await chain.write({ from: provider, ...at, functionName: 'set', args: [parseEther('1.14'), false] })
  const tokenRow = { token, label: 'Staked ether', view: 'getExchangeRate', decimals: 18 }
  return [row('rate_tokens', 'local_rate_token', 'Rocket Pool', { tokens: [tokenRow] })]
}
