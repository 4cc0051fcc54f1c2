import { parseAbi, parseEther, parseUnits } from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import { createBalancerPool, deployBalancer, joinBalancerPool } from '../protocols/balancer.ts'
import { addConvexPool, deployConvex } from '../protocols/convex.ts'
import { createGauge, deployCurvePool, deployGauges } from '../protocols/curve.ts'
import { collector, type Exhibit, provider, row } from './stage.ts'

const { tokens, uniswapV2, pendle: pendleAt } = addresses.ethereum
const DAY_SECONDS = 86_400

const poolAbi = parseAbi(['function add_liquidity(uint256[] amounts, uint256 least) payable returns (uint256)'])
const registryAbi = parseAbi(['function register(address token, address pool)'])
const depositAbi = parseAbi(['function deposit(uint256 amount)'])
const boosterAbi = parseAbi(['function deposit(uint256 pid, uint256 amount, bool stake)'])
const lockAbi = parseAbi(['function create_lock(uint256 amount, uint256 end)'])
const chefAbi = parseAbi([
  'function add(uint256 points, address share)',
  'function deposit(uint256 pid, uint256 amount)',
])

/** Shares in wallet, gauge and Convex, and a lock. */
export const openCurve: Exhibit = async ({ chain, actions: { erc20 } }) => {
  const registry = await chain.deploy(ownArtifact('CurveRegistry'))
  const gauges = await deployGauges(chain, tokens.weth)
  const { pool, token } = await deployCurvePool(chain, [tokens.usdc, tokens.dai])
  const register = { address: registry, abi: registryAbi, functionName: 'register' } as const
  await chain.write({ from: provider, ...register, args: [token, pool] })
  const gauge = await createGauge(chain, gauges, token)
  const convex = await deployConvex(chain, gauges.token, { minted: 0n, fee: 10n })
  const { pid } = await addConvexPool(chain, { booster: convex.booster, share: token, crv: gauges.token })
  const amounts = [parseUnits('9000', 6), parseEther('9000')]
  for (const [i, coin] of [tokens.usdc, tokens.dai].entries()) {
    await erc20.mint(coin, collector, amounts[i] ?? 0n)
    await erc20.allow(coin, collector, pool)
  }
  const add = { address: pool, abi: poolAbi, functionName: 'add_liquidity' } as const
  await chain.write({ from: collector, ...add, args: [amounts, parseEther('9000')] })
  for (const spender of [gauge, convex.booster]) await erc20.allow(token, collector, spender)
  const third = (await erc20.balanceOf(token, collector)) / 3n
  await chain.write({ from: collector, address: gauge, abi: depositAbi, functionName: 'deposit', args: [third] })
  const stake = { address: convex.booster, abi: boosterAbi, functionName: 'deposit' } as const
  await chain.write({ from: collector, ...stake, args: [pid, third, true] })
  await erc20.transfer(gauges.token, gauges.holder, collector, parseEther('100'))
  await erc20.allow(gauges.token, collector, gauges.escrow)
  const { timestamp } = await chain.client.getBlock()
  const args = [parseEther('100'), timestamp + BigInt(300 * DAY_SECONDS)] as const
  await chain.write({ from: collector, address: gauges.escrow, abi: lockAbi, functionName: 'create_lock', args })
  const { controller, minter, escrow, token: emitted } = gauges
  return [
    row('curve', 'curve', 'Curve', {
      ...{ registry, gauges: { controller, minter, emitted }, escrow: { escrow, token: emitted } },
    }),
    row('convex', 'convex', 'Convex', {
      ...{ boosters: [{ address: convex.booster, layout: 'silent' }], bonus: convex.cvx },
    }),
  ]
}

export const openBalancer: Exhibit = async ({ chain, actions: { erc20 } }) => {
  const gauges = await deployGauges(chain, tokens.weth)
  const balancer = await deployBalancer(chain, gauges)
  const made = await createBalancerPool(chain, balancer, { kind: 'weighted', coins: [tokens.usdc, tokens.weth] })
  const gauge = await createGauge(chain, gauges, made.pool)
  const amounts = made.tokens.map((token) => (token === tokens.usdc ? parseUnits('3000', 6) : parseEther('4')))
  for (const [i, token] of made.tokens.entries()) {
    await erc20.mint(token, collector, amounts[i] ?? 0n)
    await erc20.allow(token, collector, balancer.vault)
  }
  await joinBalancerPool(chain, collector, balancer, made, { amounts, isFirst: true })
  const half = (await erc20.balanceOf(made.pool, collector)) / 2n
  await erc20.allow(made.pool, collector, gauge)
  await chain.write({ from: collector, address: gauge, abi: depositAbi, functionName: 'deposit', args: [half] })
  const { vault, queries, factories } = balancer
  const { controller, minter, token: emitted } = gauges
  const deployment = { vault, queries, factories: Object.values(factories), gauges: { controller, minter, emitted } }
  return [row('balancer', 'balancer', 'Balancer', deployment)]
}

/** Shipped deployments name Pendle's factories. */
export const openPendle: Exhibit = async ({ actions: { pendle, erc20 } }) => {
  await pendle.deploy()
  const sy = await pendle.wrap(tokens.weth, tokens.uni, provider)
  const market = await pendle.open(sy, tokens.weth, 180)
  for (const [wallet, whole] of [
    [provider, '200'],
    [collector, '8'],
  ] as const) {
    const amount = parseEther(whole)
    await erc20.mint(tokens.weth, wallet, amount)
    await pendle.deposit(wallet, market, amount)
    await pendle.mint(wallet, market, amount / 2n)
    await pendle.add(wallet, market, amount / 4n, amount / 4n)
  }
  await erc20.mint(pendleAt.token, collector, parseEther('50'))
  await pendle.stake(collector, parseEther('50'))
  return []
}

export const openMasterChef: Exhibit = async ({ chain, actions: { erc20, uniswapV2: pairs } }) => {
  const chef = await chain.deploy(ownArtifact('MasterChef'), [tokens.uni, provider, parseEther('1')])
  const share = uniswapV2.pairs.daiWeth
  await chain.write({ from: provider, address: chef, abi: chefAbi, functionName: 'add', args: [1n, share] })
  await erc20.mint(tokens.dai, collector, parseEther('3000'))
  await erc20.mint(tokens.weth, collector, parseEther('1'))
  const sides = [
    { token: tokens.dai, amount: parseEther('3000') },
    { token: tokens.weth, amount: parseEther('1') },
  ] as const
  await pairs.add(collector, ...sides)
  await erc20.allow(share, collector, chef)
  const args = [0n, await erc20.balanceOf(share, collector)] as const
  await chain.write({ from: collector, address: chef, abi: chefAbi, functionName: 'deposit', args })
  const deployment = { chef, reward: tokens.uni, pending: 'pendingSushi', layout: 'v1' }
  return [row('masterchef', 'local_chef', 'MasterChef', deployment)]
}
