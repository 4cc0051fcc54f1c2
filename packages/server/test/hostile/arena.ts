import {
  algebraActions,
  type Balancer,
  createBalancerPool,
  createGauge,
  type Devnet,
  deployAlgebra,
  deployBalancer,
  deployCurvePool,
  deployGauges,
  type Gauges,
  joinBalancerPool,
  ownArtifact,
} from '@coffer/devnet'
import { type Address, parseAbi, zeroAddress } from 'viem'
import type { Random } from '../random-of.ts'
import { createStage, type Stage } from './stage.ts'

type Chain = Devnet['chains']['ethereum']

/** Attacker's token. `have`: base units, which `give` sends or makes. */
export type Coin = { address: Address; have: bigint; give(to: Address, amountRaw: bigint): Promise<unknown> }
export type Real = { token: Address; amount: bigint }

const registryAbi = parseAbi(['function register(address token, address pool)'])
const curveAbi = parseAbi(['function add_liquidity(uint256[] amounts, uint256 least) returns (uint256)'])
const solidlyAbi = parseAbi([
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
  'function mint(address to) returns (uint256)',
  'function createGauge(address pool) returns (address)',
  'function gauges(address pool) view returns (address)',
])
const vault3Abi = parseAbi([
  'function create(address[] tokens, address[] providers, bool isMade) returns (address)',
  'function add(address pool, uint256[] amounts, uint256 shares)',
])
const stakeAbi = parseAbi(['function deposit(uint256 amount)'])
const FIRST_SHARES = 10n ** 21n

export type Arena = Awaited<ReturnType<typeof openArena>>

/** Protocols in which anyone may create a pool or market. */
export async function openArena(chain: Chain, random: Random) {
  const artifact = { token: ownArtifact('HostileToken'), vault: ownArtifact('HostileVault') }
  const stage = await createStage({ chain, artifact }, random)
  const { weth } = stage.tokens
  const gauges = await deployGauges(chain, weth)
  const balancer = await deployBalancer(chain, gauges)
  const vault3 = await chain.deploy(ownArtifact('BalancerVault3'))
  const registry = await chain.deploy(ownArtifact('CurveRegistry'))
  const factory = await chain.deploy(ownArtifact('SolidlyFactory'))
  const voter = await chain.deploy(ownArtifact('SolidlyVoter'), [weth])
  const algebraAt = await deployAlgebra(chain, 'integral', weth)
  await chain.actions.pendle.deploy()
  const makers = { controller: gauges.controller, minter: gauges.minter, emitted: gauges.token }
  const factories = [...Object.values(balancer.factories), vault3]
  const { vault, queries } = balancer
  const protocols = [
    rowOf('balancer', { vault, vault3, queries, factories, gauges: makers }),
    rowOf('curve', { registry, gauges: makers }),
    rowOf('solidly', { factory, voter }),
    rowOf('algebra', { factory: algebraAt.factory, manager: algebraAt.manager }),
  ]
  const algebra = algebraActions(chain, algebraAt, chain.actions.erc20)
  const shares = sharesIn(stage, { gauges, balancer, vault3, registry, factory })
  return { stage, protocols, algebra, algebraAt, balancer, shares }
}

const rowOf = (family: string, deployment: object) => {
  return { family, key: `local_${family}`, name: family, chain: 'ethereum', deployment }
}

type At = {
  gauges: Gauges
  balancer: Balancer
  vault3: Address
  registry: Address
  factory: Address
}

/** For protocols with fungible shares; the attacker has all shares. */
function sharesIn({ chain, maker }: Stage, { gauges, balancer, vault3, registry, factory }: At) {
  const { erc20, uniswapV2 } = chain.actions

  async function shareOf(address: Address): Promise<Coin> {
    const have = await erc20.balanceOf(address, maker)
    return { address, have, give: (to, amountRaw) => erc20.transfer(address, maker, to, amountRaw) }
  }
  async function gather(coin: Coin, raw: bigint, real: Real): Promise<void> {
    await coin.give(maker, raw)
    await erc20.mint(real.token, maker, real.amount)
  }

  async function uniswap(coin: Coin, raw: bigint, real: Real): Promise<Coin> {
    await gather(coin, raw, real)
    await uniswapV2.add(maker, { token: coin.address, amount: raw }, real)
    return shareOf(await uniswapV2.pairOf(coin.address, real.token))
  }

  async function solidly(coin: Coin, raw: bigint, real: Real): Promise<Coin> {
    const pair = [coin.address, real.token, false] as const
    await chain.write({ from: maker, address: factory, abi: solidlyAbi, functionName: 'createPool', args: pair })
    const view = { address: factory, abi: solidlyAbi, functionName: 'getPool', args: pair } as const
    const pool = await chain.client.readContract(view)
    await coin.give(pool, raw)
    await erc20.mint(real.token, pool, real.amount)
    await chain.write({ from: maker, address: pool, abi: solidlyAbi, functionName: 'mint', args: [maker] })
    return shareOf(pool)
  }

  async function curve(coin: Coin, raw: bigint, real: Real): Promise<Coin> {
    await gather(coin, raw, real)
    const { pool, token } = await deployCurvePool(chain, [coin.address, real.token])
    const register = { address: registry, abi: registryAbi, functionName: 'register' } as const
    await chain.write({ from: maker, ...register, args: [token, pool] })
    for (const each of [coin.address, real.token]) await erc20.allow(each, maker, pool)
    const args = [[raw, real.amount], FIRST_SHARES] as const
    await chain.write({ from: maker, address: pool, abi: curveAbi, functionName: 'add_liquidity', args })
    return shareOf(token)
  }

  const ofBalancer = (kind: 'weighted' | 'first' | 'stable') => async (coin: Coin, raw: bigint, real: Real) => {
    await gather(coin, raw, real)
    const made = await createBalancerPool(chain, balancer, { kind, coins: [coin.address, real.token] })
    for (const token of [coin.address, real.token]) await erc20.allow(token, maker, balancer.vault)
    const sides = new Map([
      [coin.address.toLowerCase(), raw],
      [real.token.toLowerCase(), real.amount],
    ])
    const amounts = made.tokens.map((token) => sides.get(token.toLowerCase()) ?? 0n)
    await joinBalancerPool(chain, maker, balancer, made, { amounts, isFirst: true })
    return shareOf(made.pool)
  }

  async function balancer3(coin: Coin, raw: bigint, real: Real): Promise<Coin> {
    await gather(coin, raw, real)
    const args = [[coin.address, real.token], [zeroAddress, zeroAddress], true] as const
    const create = { account: maker, address: vault3, abi: vault3Abi, functionName: 'create', args } as const
    const { result: pool } = await chain.client.simulateContract(create)
    await chain.write({ from: maker, address: vault3, abi: vault3Abi, functionName: 'create', args })
    for (const token of [coin.address, real.token]) await erc20.allow(token, maker, vault3)
    const added = [pool, [raw, real.amount], FIRST_SHARES] as const
    await chain.write({ from: maker, address: vault3, abi: vault3Abi, functionName: 'add', args: added })
    return shareOf(pool)
  }

  /** The stake is itself a token. */
  async function gauged(share: Coin): Promise<Coin> {
    const gauge = await createGauge(chain, gauges, share.address)
    return stake(share, gauge)
  }

  async function stake(share: Coin, gauge: Address): Promise<Coin> {
    await erc20.allow(share.address, maker, gauge)
    const args = [share.have] as const
    await chain.write({ from: maker, address: gauge, abi: stakeAbi, functionName: 'deposit', args })
    return shareOf(gauge)
  }

  return {
    pools: {
      uniswap,
      solidly,
      curve,
      balancerWeighted: ofBalancer('weighted'),
      balancerFirst: ofBalancer('first'),
      balancerStable: ofBalancer('stable'),
      balancer3,
    },
    gauged,
  }
}
