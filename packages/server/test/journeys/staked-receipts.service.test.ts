import type { Portfolio } from '@coffer/contract'
import { devnetConfig, ownArtifact, startDevnet } from '@coffer/devnet'
import { type Address, erc4626Abi, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { beforeEach, expect, inject, it } from 'vitest'
import { evmAddress } from '../../src/domain/evm-address.ts'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { startReadProxy } from '../read-proxy.ts'
import { started } from '../started.ts'
import { coinsOf } from './chain-truth.ts'
import { gapsOf, scaled, shownLines, walletLines, wrongSums } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const FARMS = 'nova_farms'
/** `Balances` of `HostileToken`. */
const HONEST = 0
const REVERT = 1
const hostileAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function turn(uint8 transfers, uint8 balances)',
  'function approve(address spender, uint256 value) returns (bool)',
])

const chefAbi = parseAbi([
  'function add(uint64 allocPoint, address lpToken, address rewarder)',
  'function deposit(uint256 pid, uint256 amount, address to)',
])

const clock = testClock()
const random = seededRandom('staked receipts')
/**
 * A vault of the pair's shares, a vault of a token that becomes hostile, and a farm of each; a chef with a pool of the
 * pair.
 */

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum
const maker = random.address()
const pair = chain.addresses.uniswapV2.pairs.usdcWeth
const { dai } = chain.addresses.tokens
const { create } = chain.actions.stakingRewards
const vault = await chain.deploy(ownArtifact('Vault'), [pair, 'Pair Vault', 'vPAIR'])
const turning = await chain.deploy(ownArtifact('HostileToken'), ['Turning', 'TURN', 18, maker])
const turningVault = await chain.deploy(ownArtifact('Vault'), [turning, 'Turning Vault', 'vTURN'])
const made = {
  ...{ vault, turning, turningVault },
  farm: await create({ staked: vault, rewarded: dai }),
  turningFarm: await create({ staked: turningVault, rewarded: dai }),
  chef: await chain.deploy(ownArtifact('MiniChef'), [dai, parseEther('0.01')]),
}
await chain.write({
  from: maker,
  address: made.chef,
  abi: chefAbi,
  functionName: 'add',
  args: [1n, pair, zeroAddress],
})
const proxy = await started(startReadProxy(chain.url))
const shipped = devnetConfig()
const row = { name: 'Nova', chain: 'ethereum' }
const protocols = [
  ...shipped.protocols.filter((each) => each.chain === 'ethereum'),
  { ...row, family: 'erc4626', key: 'pair_vaults', deployment: { vaults: [vault, turningVault] } },
  { ...row, family: 'staking_rewards', key: FARMS, deployment: { pools: [made.farm, made.turningFarm] } },
  {
    ...{ ...row, family: 'masterchef', key: 'nova_chef' },
    deployment: { chef: made.chef, reward: dai, pending: 'pendingSushi', layout: 'v2' },
  },
]
const token = { chain: 'ethereum', address: turning, symbol: 'TURN', name: 'Turning', decimals: 18 }
const config = { tokens: [...shipped.tokens, token], protocols }
const service = await started(startService({ endpoints: { ethereum: [proxy.url] }, config, clock }))
// The first read lists the protocols' contracts, once for all wallets.
await readAnew(devnet.wallets.empty.address)

beforeEach(() => proxy.countAnew())

async function readAnew(wallet: Address): Promise<Portfolio> {
  await devnet.refreshFeeds()
  clock.advance(NOT_FRESH_MS)
  const portfolio = await readPortfolio(service, wallet)
  expect(wrongSums(portfolio)).toEqual([])
  return portfolio
}

/** Gives the wallet a share of the USDC and WETH pair. */
async function giveShare(wallet: Address): Promise<bigint> {
  const { erc20, uniswapV2 } = chain.actions
  const { usdc, weth } = chain.addresses.tokens
  const [dollars, ether] = [random.amount(parseUnits('1', 6), parseUnits('500000', 6)), parseEther('500')]
  await erc20.mint(usdc, wallet, dollars)
  await erc20.mint(weth, wallet, ether)
  await uniswapV2.add(wallet, { token: usdc, amount: dollars }, { token: weth, amount: ether })
  return erc20.balanceOf(pair, wallet)
}

async function deposit(vault: Address, asset: Address, wallet: Address, assets: bigint): Promise<bigint> {
  const call = { from: wallet, address: vault, abi: erc4626Abi } as const
  await chain.write({ from: wallet, address: asset, abi: hostileAbi, functionName: 'approve', args: [vault, assets] })
  await chain.write({ ...call, functionName: 'deposit', args: [assets, wallet] })
  return chain.actions.erc20.balanceOf(vault, wallet)
}

const linesOf = (portfolio: Portfolio, pool: Address) =>
  shownLines(portfolio, 'ethereum').filter((line) => line.includes(pool.toLowerCase()))

const amountsText = (amounts: readonly (readonly [string, bigint])[]) =>
  amounts
    .map(([token, amountRaw]) => `${token.toLowerCase()}=${amountRaw}`)
    .sort()
    .join(' ')

it('shows shares of a vault of a pair, staked, as what the pair would pay, in two trips and then in one', async () => {
  const { erc20, stakingRewards, uniswapV2 } = chain.actions
  const { usdc, weth } = chain.addresses.tokens
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const share = await giveShare(wallet)
    const shares = await deposit(made.vault, pair, wallet, random.amount(share / 4n, share / 2n))
    const staked = random.amount(shares / 2n, shares - 1n)
    await stakingRewards.stake(wallet, made.farm, staked)
    // The vault's yield, and a trade that moves the pair.
    await erc20.transfer(pair, wallet, made.vault, random.amount(1n, share / 8n))
    await erc20.mint(usdc, maker, parseUnits('20000', 6))
    await uniswapV2.swap(maker, { token: usdc, amount: random.amount(1n, parseUnits('20000', 6)) }, weth)
    proxy.countAnew()
    const portfolio = await readAnew(wallet)
    // Later rounds also read rates of coins, which are five minutes old then.
    if (round === 0) expect(proxy.trips()).toBe(2)
    expect(gapsOf(portfolio)).toEqual([])
    const block = BigInt(portfolio.asOf['ethereum']?.block ?? 0)
    const read = { address: made.vault, abi: erc4626Abi, functionName: 'convertToAssets', blockNumber: block } as const
    const coinsBehind = async (shares: bigint) => {
      const assets = await chain.client.readContract({ ...read, args: [shares] })
      return coinsOf({ devnet, chain: 'ethereum', owner: wallet, block }, pair, assets)
    }
    const supplied = amountsText(await coinsBehind(staked))
    const farm = made.farm.toLowerCase()
    expect(linesOf(portfolio, made.farm)).toEqual([`${FARMS} ${farm} supplied[${supplied}] borrowed[] rewards[] `])
    // Unstaked shares are the vault's position, in coins too, and a token in the wallet view.
    const kept = amountsText(await coinsBehind(shares - staked))
    const vault = made.vault.toLowerCase()
    expect(linesOf(portfolio, made.vault)).toEqual([`pair_vaults ${vault} supplied[${kept}] borrowed[] rewards[] `])
    const [view] = await service.client.getWallet({ query: { addresses: wallet } })
    expect(view && walletLines(view, 'ethereum')).toContain(`${vault}=${shares - staked}`)

    proxy.countAnew()
    await readAnew(wallet)
    if (round === 0) expect(proxy.trips()).toBe(1)
  }
})

it('shows the same coins at the same value for a held and for a staked share', async () => {
  const { stakingRewards } = chain.actions
  const farm = chain.addresses.stakingRewards.usdcWeth
  const wallet = random.address()
  const share = await giveShare(wallet)
  const held = await readAnew(wallet)
  await stakingRewards.stake(wallet, farm, share)
  const staked = await readAnew(wallet)
  const coins = (portfolio: Portfolio, pool: Address) =>
    /supplied\[[^\]]*\]/.exec(linesOf(portfolio, pool)[0] ?? '')?.[0]
  expect(coins(staked, farm)).toContain('=')
  expect(coins(staked, farm)).toBe(coins(held, pair))
  expect(linesOf(staked, pair)).toEqual([])
  expect(nested(staked, 'uniswap_liquidity_mining')).toMatchObject({ name: 'USDC/WETH Farm', dexAssets: [] })
  const rewards = nested(staked, 'uniswap_liquidity_mining')?.rewardAssets ?? []
  const earned = rewards.reduce((total, { value }) => total + scaled(value), 0n)
  expect(scaled(staked.networth) - earned).toBe(scaled(held.networth))
})

const nested = (portfolio: Portfolio, protocol: string) =>
  portfolio.assetByProtocols[protocol]?.chains['ethereum']?.protocolPositions.FARMING?.protocolPositions[0]

it('shows a share that can no longer be unwrapped as itself, and unwraps the others', async () => {
  const { stakingRewards } = chain.actions
  const wallet = random.address()
  const turning = { from: maker, address: made.turning, abi: hostileAbi } as const
  await chain.write({ ...turning, functionName: 'mint', args: [wallet, 900n] })
  const shares = await deposit(made.turningVault, made.turning, wallet, 900n)
  await stakingRewards.stake(wallet, made.turningFarm, shares)
  const pairShares = await deposit(made.vault, pair, wallet, await giveShare(wallet))
  await stakingRewards.stake(wallet, made.farm, pairShares)
  const honest = linesOf(await readAnew(wallet), made.turningFarm)
  expect(honest).toEqual([
    `${FARMS} ${made.turningFarm.toLowerCase()} supplied[${made.turning.toLowerCase()}=900] borrowed[] rewards[] `,
  ])

  await chain.write({ ...turning, functionName: 'turn', args: [0, REVERT] })
  const portfolio = await readAnew(wallet)
  expect(linesOf(portfolio, made.turningFarm)).toEqual([
    `${FARMS} ${made.turningFarm.toLowerCase()} supplied[${made.turningVault.toLowerCase()}=${shares}] borrowed[] rewards[] `,
  ])
  expect(linesOf(portfolio, made.farm)[0]).toContain(chain.addresses.tokens.usdc.toLowerCase())
})

/** A share in the chef's pool, found by the background search, which sees logs from here on. */
async function stakeWithChef(wallet: Address): Promise<bigint> {
  const share = await giveShare(wallet)
  await chain.actions.erc20.allow(pair, wallet, made.chef)
  const call = { from: wallet, address: made.chef, abi: chefAbi, functionName: 'deposit' } as const
  await chain.write({ ...call, args: [0n, share, wallet] })
  proxy.reset()
  // Finds of the search are read immediately: none may be in progress when round trips are counted.
  const shown = async () => {
    const portfolio = await readAnew(wallet)
    const isSearched = portfolio.incomplete.every(({ reason }) => reason !== 'searching')
    return isSearched ? linesOf(portfolio, made.chef) : []
  }
  await expect.poll(shown).toHaveLength(1)
  return share
}

it('shows a share in a pool of a chef, found by its deposit, as coins', async () => {
  const wallet = random.address()
  const share = await stakeWithChef(wallet)
  const portfolio = await readAnew(wallet)
  const block = BigInt(portfolio.asOf['ethereum']?.block ?? 0)
  const scope = { devnet, chain: 'ethereum', owner: wallet, block } as const
  const coins = amountsText(await coinsOf(scope, pair, share))
  // The chef has no rewards to pay.
  const line = `nova_chef ${made.chef.toLowerCase()} supplied[${coins}] borrowed[] rewards[] `
  expect(linesOf(portfolio, made.chef)).toEqual([line])
})

it('opens it in the trip in which pools are asked for a receipt that has no price', async () => {
  const wallet = random.address()
  const turning = { from: maker, address: made.turning, abi: hostileAbi } as const
  await chain.write({ ...turning, functionName: 'turn', args: [0, HONEST] })
  await chain.write({ ...turning, functionName: 'mint', args: [wallet, 900n] })
  await deposit(made.turningVault, made.turning, wallet, 900n)
  await stakeWithChef(wallet)
  const tripsOfFirstRead = async () => {
    // Removes the plan of the previous read.
    await service.context.database.db.deleteFrom('wallet_read').where('wallet', '=', evmAddress(wallet)).execute()
    proxy.countAnew()
    expect(linesOf(await readAnew(wallet), made.chef)).toHaveLength(1)
    return proxy.trips()
  }
  // A last read of finds may run concurrently, and adds round trips.
  await expect.poll(tripsOfFirstRead).toBe(3)
})
