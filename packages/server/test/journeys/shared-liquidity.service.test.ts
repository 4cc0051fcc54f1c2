import type { Portfolio } from '@coffer/contract'
import {
  addresses,
  deployGauges,
  devnetConfig,
  type MarketParams,
  marketId,
  ownArtifact,
  startDevnet,
} from '@coffer/devnet'
import { type Address, maxUint256, pad, parseAbi, parseEther, parseUnits, toHex } from 'viem'
import { expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { gapsOf, scaled, wrongSums } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const DAY_SECONDS = 86_400
const CLAIMS = 5
const { tokens, morpho } = addresses.ethereum

const usdc = (figure: string) => parseUnits(figure, 6)
const usd = (figure: string) => parseUnits(figure, 60)
const HELD = '25'
const PARKED = '1000'

const vaultAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function conjure(address to, uint256 value)',
  'function pretend(address to, uint256 value)',
])
const yieldAbi = parseAbi(['function conjure(address to, uint256 shares)', 'function report(uint256 supply)'])
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function list(address vault, address token, address manager)',
  'function say(bytes32 id, uint256 held, uint256 supply)',
  'function pretend(address to, uint256 value)',
])
const balancerAbi = parseAbi([
  'struct Change { uint8 kind; bytes32 poolId; address token; uint256 amount; }',
  'function managePoolBalance(Change[] changes)',
])
const UPDATE = 2
const factoryAbi = parseAbi([
  'function createMetaMorpho(address owner, uint256 timelock, address asset, string name, string symbol, bytes32 salt) returns (address)',
])
const capAbi = parseAbi(['function setCap(bytes32 id, uint256 cap)'])

const clock = testClock()
const random = seededRandom('shared liquidity')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum
const attacker = random.address()
const balancer = (await deployGauges(chain, tokens.weth)).vault
await chain.actions.pendle.deploy()
const shipped = devnetConfig()
const row = { family: 'balancer', key: 'local_pools', name: 'Local pools', chain: 'ethereum' }
const config = { ...shipped, protocols: [...shipped.protocols, { ...row, deployment: { vault: balancer } }] }
const service = await started(startService({ endpoints: { ethereum: [chain.url] }, config, clock }))

async function newVictim(): Promise<Address> {
  const victim = random.address()
  await chain.actions.erc20.mint(tokens.usdc, victim, usdc(HELD))
  return victim
}

async function readAnew(wallet: Address): Promise<Portfolio> {
  await devnet.refreshFeeds()
  clock.advance(NOT_FRESH_MS)
  const portfolio = await readPortfolio(service, wallet)
  expect(wrongSums(portfolio)).toEqual([])
  return portfolio
}

/** The answer after the background searches have found everything that names the wallet. */
async function settled(wallet: Address, contracts: readonly Address[]): Promise<Portfolio> {
  await readAnew(wallet)
  const { db } = service.context.database
  const find = db.selectFrom('wallet_token').select('address').where('wallet', '=', wallet.toLowerCase())
  const isFound = async () => {
    const known = new Set((await find.execute()).map(({ address }) => address))
    return contracts.every((contract) => known.has(contract.toLowerCase()))
  }
  await expect.poll(isFound).toBe(true)
  const portfolios = [await readAnew(wallet), await readAnew(wallet)]
  return portfolios.at(-1) as Portfolio
}

/** The wallet's worth above its holdings, in 10^-60 dollars. */
const gainOf = ({ networth }: Portfolio) => scaled(networth) - usd(HELD)

/** A vault of one share with one USDC. The attacker has 10^11 shares that its supply leaves out. */
async function lookAlike(victim: Address): Promise<Address> {
  const vault = await chain.deploy(ownArtifact('HostileVault'), [tokens.usdc])
  const call = { from: attacker, address: vault, abi: vaultAbi } as const
  await chain.actions.erc20.mint(tokens.usdc, vault, usdc('1'))
  await chain.write({ ...call, functionName: 'mint', args: [attacker, parseEther('1')] })
  await chain.write({ ...call, functionName: 'conjure', args: [attacker, parseEther('100000000000')] })
  await chain.write({ ...call, functionName: 'pretend', args: [victim, 1n] })
  return vault
}

it('a share of a pair of an untrusted vault adds no more than lies in the vault and the pair', async () => {
  const victim = await newVictim()
  const { erc20, uniswapV2 } = chain.actions
  const vault = await lookAlike(victim)
  await erc20.mint(tokens.usdc, attacker, usdc('1'))
  const sides = [
    { token: vault, amount: parseEther('100000000000') },
    { token: tokens.usdc, amount: usdc('1') },
  ] as const
  await uniswapV2.add(attacker, ...sides)
  const pair = await uniswapV2.pairOf(vault, tokens.usdc)
  await erc20.transfer(pair, attacker, victim, (await erc20.balanceOf(pair, attacker)) / 2n)
  const portfolio = await settled(victim, [vault, pair])
  expect(gainOf(portfolio)).toBeLessThanOrEqual(usd('1.5'))
  expect(gapsOf(portfolio)).toEqual([])
})

it('collateral of an untrusted vault adds no more than lies in the vault', async () => {
  const victim = await newVictim()
  const vault = await lookAlike(victim)
  const market: MarketParams = {
    ...{ loanToken: tokens.usdc, collateralToken: vault, oracle: morpho.oracles.wethUsdc },
    ...{ irm: morpho.irm, lltv: parseEther('0.86') },
  }
  await chain.actions.morpho.createMarket(market)
  await chain.actions.morpho.supplyCollateral(attacker, market, parseEther('10000000000'), victim)
  const portfolio = await settled(victim, [vault])
  expect(gainOf(portfolio)).toBeLessThanOrEqual(usd('1'))
  expect(gapsOf(portfolio)).toEqual([])
})

it('a pool that manages its own assets counts what lies in the vault', async () => {
  const victim = await newVictim()
  const pool = await chain.deploy(ownArtifact('BalancerStranger'), [balancer])
  const call = { from: attacker, address: pool, abi: poolAbi } as const
  await chain.write({ ...call, functionName: 'list', args: [balancer, tokens.usdc, attacker] })
  await chain.write({ ...call, functionName: 'say', args: [pad('0x00'), parseEther('1'), parseEther('1')] })
  await chain.write({ ...call, functionName: 'pretend', args: [victim, parseEther('1')] })
  const poolId = await chain.client.readContract({ address: pool, abi: poolAbi, functionName: 'getPoolId' })
  const change = { kind: UPDATE, poolId, token: tokens.usdc, amount: usdc('1000000000') }
  await chain.write({
    ...{ from: attacker, address: balancer, abi: balancerAbi },
    ...{ functionName: 'managePoolBalance', args: [[change]] },
  })
  const portfolio = await settled(victim, [pool])
  expect(gainOf(portfolio)).toBe(0n)
  expect(gapsOf(portfolio)).toEqual([])
})

it('expired tokens of several terms over one untrusted yield share what it holds', async () => {
  const victim = await newVictim()
  const { pendle, erc20 } = chain.actions
  const sy = await pendle.wrap(tokens.usdc, tokens.uni)
  await erc20.mint(tokens.usdc, sy, usdc(PARKED))
  const call = { from: attacker, address: sy, abi: yieldAbi } as const
  const pts: Address[] = []
  for (let term = 1; term <= CLAIMS; term += 1) {
    const market = await pendle.open(sy, tokens.usdc, term)
    await chain.write({ ...call, functionName: 'conjure', args: [attacker, usdc(PARKED)] })
    await pendle.mint(attacker, market, usdc(PARKED))
    await erc20.transfer(market.pt, attacker, victim, await erc20.balanceOf(market.pt, attacker))
    pts.push(market.pt)
  }
  // As if all shares belonged to one term.
  await chain.write({ ...call, functionName: 'report', args: [usdc(PARKED)] })
  await chain.travel((CLAIMS + 1) * DAY_SECONDS)
  const portfolio = await settled(victim, pts)
  expect(gainOf(portfolio)).toBe(usd(PARKED))
  expect(gapsOf(portfolio)).toEqual([])
})

it('vaults over one market share what it could pay', async () => {
  const victim = await newVictim()
  const { morpho: actions, erc20 } = chain.actions
  const collateral = await chain.deploy(ownArtifact('HostileToken'), ['Bait', 'BAIT', 18, attacker])
  const oracle = await chain.deploy(ownArtifact('SettableOracle'))
  await actions.setPrice(oracle, 10n ** 40n)
  const market = {
    ...{ loanToken: tokens.usdc, collateralToken: collateral, oracle, irm: morpho.irm },
    lltv: parseEther('0.86'),
  }
  await actions.createMarket(market)
  const vaults: Address[] = []
  for (let made = 0; made < CLAIMS; made += 1) {
    const args = [attacker, 0n, tokens.usdc, 'Vault', 'VLT', pad(toHex(made + 1))] as const
    const call = { address: morpho.vaultFactory, abi: factoryAbi, functionName: 'createMetaMorpho', args } as const
    const { result: vault } = await chain.client.simulateContract({ ...call, account: attacker })
    await chain.write({ ...call, from: attacker })
    const cap = { from: attacker, address: vault, abi: capAbi, functionName: 'setCap' } as const
    await chain.write({ ...cap, args: [marketId(market), maxUint256] })
    await erc20.mint(tokens.usdc, attacker, usdc(PARKED))
    await actions.deposit(attacker, vault, usdc(PARKED), victim)
    vaults.push(vault)
  }
  const call = { from: attacker, address: collateral, abi: vaultAbi, functionName: 'mint' } as const
  await chain.write({ ...call, args: [attacker, parseEther('1')] })
  await actions.supplyCollateral(attacker, market, parseEther('1'))
  await actions.borrow(attacker, market, usdc(PARKED) * BigInt(CLAIMS - 1))
  // The attacker owes interest that was never paid in.
  await chain.travel(CLAIMS * DAY_SECONDS)
  const portfolio = await settled(victim, vaults)
  expect(gainOf(portfolio)).toBe(usd(PARKED))
  expect(gapsOf(portfolio)).toEqual([])
})
