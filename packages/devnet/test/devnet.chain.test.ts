import { type Address, erc20Abi, erc4626Abi, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addresses, type Devnet, startDevnet, wallets } from '../src/index.ts'

const demo = wallets.demo.address
const { ethereum: eth, base } = addresses

const abi = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function getReserveTokensAddresses(address) view returns (address, address, address)',
  'function getUserAccountData(address) view returns (uint256 collateral, uint256 debt, uint256 available, uint256 threshold, uint256 ltv, uint256 healthFactor)',
  'function getPool() view returns (address)',
  'function getLendingPool() view returns (address)',
  'function getAllUserRewards(address[], address) view returns (address[], uint256[])',
  'function getAllMarkets() view returns (address[])',
  'function getAssetsIn(address) view returns (address[])',
  'function getAccountLiquidity(address) view returns (uint256, uint256, uint256)',
  'function getAccountSnapshot(address) view returns (uint256, uint256, uint256, uint256)',
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)',
  'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)',
  'function positions(uint256) view returns (uint96, address, address, address, uint24 fee, int24 lower, int24 upper, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)',
  'function collect((uint256, address, uint128, uint128)) returns (uint256, uint256)',
  'function stEthPerToken() view returns (uint256)',
  'function sharesOf(address) view returns (uint256)',
  'function getPooledEthByShares(uint256) view returns (uint256)',
])

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState'), refreshFeeds: false })
})
afterAll(() => devnet.stop())

const reader =
  (chain: 'ethereum' | 'base') =>
  (address: Address, functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    devnet.chains[chain].client.readContract({ address, abi: [...abi, ...erc20Abi], functionName, args } as never)
const onEthereum = reader('ethereum')
const onBase = reader('base')

/** Every address in a tree of addresses. */
const leaves = (tree: object): Address[] =>
  Object.values(tree).flatMap((value: unknown) =>
    typeof value === 'string' ? [value as Address] : leaves(value as object),
  )

describe('contracts', () => {
  // The zero address in the key of a pool of Uniswap v4 is the native coin, or no hook. Pendle is deployed by its tests.
  const codeless = new Set<Address>([
    eth.aaveV3.collector,
    base.aaveV3.collector,
    eth.safetyModule.rewardsVault,
    ...leaves(eth.pendle),
    zeroAddress,
  ])
  test.each(['ethereum', 'base'] as const)('every address on %s holds code', async (key) => {
    const { client } = devnet.chains[key]
    const wanted = leaves(addresses[key]).filter((address) => !codeless.has(address))
    const codes = await Promise.all(wanted.map((address) => client.getCode({ address })))
    expect(wanted.filter((_, index) => (codes[index] ?? '0x') === '0x')).toEqual([])
  })

  test('factories and providers lead to the real addresses', async () => {
    const { tokens, uniswapV2, uniswapV3 } = eth
    expect(await onEthereum(uniswapV2.factory, 'getPair', [tokens.usdc, tokens.weth])).toBe(uniswapV2.pairs.usdcWeth)
    expect(await onEthereum(uniswapV2.factory, 'getPair', [tokens.dai, tokens.weth])).toBe(uniswapV2.pairs.daiWeth)
    expect(await onEthereum(uniswapV2.factory, 'getPair', [tokens.usdt, tokens.weth])).toBe(uniswapV2.pairs.wethUsdt)
    const pool = [tokens.usdc, tokens.weth, 500]
    expect(await onEthereum(uniswapV3.factory, 'getPool', pool)).toBe(uniswapV3.pools.usdcWeth500)
    expect(await onEthereum(eth.aaveV3.provider, 'getPool')).toBe(eth.aaveV3.pool)
    expect(await onEthereum(eth.aaveV2.provider, 'getLendingPool')).toBe(eth.aaveV2.pool)
    expect(await onBase(base.aaveV3.provider, 'getPool')).toBe(base.aaveV3.pool)
    const basePool = [base.tokens.weth, base.tokens.usdc, 500]
    expect(await onBase(base.uniswapV3.factory, 'getPool', basePool)).toBe(base.uniswapV3.pools.wethUsdc500)
  })

  test('Aave reserves have the tokens of the published address book', async () => {
    const v3 = await onEthereum(eth.aaveV3.dataProvider, 'getReserveTokensAddresses', [eth.tokens.weth])
    expect(v3).toMatchObject({ 0: '0x4d5F47FA6A74757f35C14fD3a6Ef8E3C9BC514E8' })
    expect(v3).toMatchObject({ 2: '0xeA51d7853EEFb32b6ee06b1C12E6dcCA88Be0fFE' })
    const v2 = await onEthereum(eth.aaveV2.dataProvider, 'getReserveTokensAddresses', [eth.tokens.usdc])
    expect(v2).toMatchObject({ 0: '0xBcca60bB61934080951369a648Fb03DF4F96263C' })
    expect(v2).toMatchObject({ 2: '0x619beb58998eD2278e08620f97007e1116D5D25b' })
    const onL2 = await onBase(base.aaveV3.dataProvider, 'getReserveTokensAddresses', [base.tokens.usdc])
    expect(onL2).toMatchObject({ 0: '0x4e65fE4DbA92790696d040ac24Aa414708F5c0AB' })
  })
})

describe('the demo wallet', () => {
  test.each([
    [onEthereum, eth.aaveV3.pool],
    [onEthereum, eth.aaveV2.pool],
    [onBase, base.aaveV3.pool],
  ])('supplies, owes and is healthy on Aave', async (read, pool) => {
    const [collateral, debt, , , , healthFactor] = (await read(pool, 'getUserAccountData', [demo])) as bigint[]
    expect(collateral).toBeGreaterThan(0n)
    expect(debt).toBeGreaterThan(0n)
    expect(healthFactor).toBeGreaterThan(10n ** 18n)
  })

  test('has earned rewards on Aave v3', async () => {
    const [aWeth] = (await onEthereum(eth.aaveV3.dataProvider, 'getReserveTokensAddresses', [eth.tokens.weth])) as [
      Address,
    ]
    const [tokens, amounts] = (await onEthereum(eth.aaveV3.rewards, 'getAllUserRewards', [[aWeth], demo])) as [
      Address[],
      bigint[],
    ]
    expect(tokens).toEqual([eth.tokens.uni])
    expect(amounts[0]).toBeGreaterThan(0n)
  })

  test('supplies native coin and tokens to Compound v2 and owes one', async () => {
    const { markets, comptroller } = eth.compoundV2
    expect(await onEthereum(comptroller, 'getAllMarkets')).toEqual([
      ...[markets.ceth, markets.cusdc, markets.cdai, markets.cwbtc],
    ])
    expect(await onEthereum(comptroller, 'getAssetsIn', [demo])).toEqual([markets.ceth, markets.cusdc, markets.cdai])
    const [error, liquidity, shortfall] = (await onEthereum(comptroller, 'getAccountLiquidity', [demo])) as bigint[]
    expect([error, shortfall]).toEqual([0n, 0n])
    expect(liquidity).toBeGreaterThan(0n)
    const [, ceth, , rate] = (await onEthereum(markets.ceth, 'getAccountSnapshot', [demo])) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ]
    expect((ceth * rate) / 10n ** 18n).toBeGreaterThanOrEqual(3n * 10n ** 18n - 10n ** 10n)
    const [, , owed] = (await onEthereum(markets.cdai, 'getAccountSnapshot', [demo])) as [bigint, bigint, bigint]
    expect(owed).toBeGreaterThan(2000n * 10n ** 18n)
  })

  test.each([
    [
      onEthereum,
      eth.uniswapV3.manager,
      'ethereum',
      [eth.uniswapV3.pools.usdcWeth500, eth.uniswapV3.pools.usdcWeth3000],
    ],
    [onBase, base.uniswapV3.manager, 'base', [base.uniswapV3.pools.wethUsdc500, base.uniswapV3.pools.wethUsdc500]],
  ] as const)('has Uniswap v3 positions in and out of range', async (read, manager, key, pools) => {
    const max = 2n ** 128n - 1n
    const seen: { inRange: boolean; fees: boolean[] }[] = []
    for (const [index, pool] of pools.entries()) {
      const id = (await read(manager, 'tokenOfOwnerByIndex', [demo, BigInt(index)])) as bigint
      const position = (await read(manager, 'positions', [id])) as readonly number[]
      const [, tick] = (await read(pool, 'slot0')) as readonly [bigint, number]
      const { result } = await devnet.chains[key].client.simulateContract({
        account: demo,
        address: manager,
        abi,
        functionName: 'collect',
        args: [[id, demo, max, max]],
      })
      const [lower, upper] = [position[5] ?? 0, position[6] ?? 0]
      seen.push({ inRange: lower <= tick && tick < upper, fees: result.map((amount) => amount > 0n) })
    }
    expect(seen).toEqual([
      { inRange: true, fees: [true, true] },
      { inRange: false, fees: [false, false] },
    ])
  })

  test('holds pairs, vault shares worth more than paid, stETH and wstETH', async () => {
    expect(await onEthereum(eth.uniswapV2.pairs.usdcWeth, 'balanceOf', [demo])).toBeGreaterThan(0n)
    expect(await onBase(base.uniswapV2.pairs.wethUsdc, 'balanceOf', [demo])).toBeGreaterThan(0n)
    const { client } = devnet.chains.ethereum
    const vault = { address: eth.local.vault, abi: erc4626Abi } as const
    const shares = await client.readContract({ ...vault, functionName: 'balanceOf', args: [demo] })
    const assets = await client.readContract({ ...vault, functionName: 'convertToAssets', args: [shares] })
    // 2,000 of 52,000 deposited, four weeks at 45.5: 182 × 2,000 / 52,000 = 7, less what rounding keeps.
    expect(assets).toBeGreaterThan(2_006_999_000n)
    expect(assets).toBeLessThanOrEqual(2_007_000_000n)
    const held = (await onEthereum(eth.lido.steth, 'sharesOf', [demo])) as bigint
    expect(await onEthereum(eth.lido.steth, 'balanceOf', [demo])).toBe(
      await onEthereum(eth.lido.steth, 'getPooledEthByShares', [held]),
    )
    expect(await onEthereum(eth.lido.wsteth, 'balanceOf', [demo])).toBeGreaterThan(10n ** 18n)
    expect(await onEthereum(eth.lido.wsteth, 'stEthPerToken')).toBeGreaterThan(115n * 10n ** 16n)
  })
})

describe('starting', () => {
  test('from the cache twice gives the same chains', async () => {
    const again = await startDevnet({ state: inject('devnetState'), refreshFeeds: false })
    try {
      for (const key of ['ethereum', 'base'] as const) {
        const [one, other] = await Promise.all(
          [devnet, again].map((net) => net.chains[key].client.getBlock({ blockTag: 'latest' })),
        )
        expect(other?.hash).toBe(one?.hash)
        expect(other?.stateRoot).toBe(one?.stateRoot)
      }
    } finally {
      await again.stop()
    }
  })

  test('makes every feed as young as the latest block', async () => {
    const fresh = await startDevnet({ state: inject('devnetState') })
    try {
      for (const key of ['ethereum', 'base'] as const) {
        const { client } = fresh.chains[key]
        const { timestamp } = await client.getBlock()
        for (const address of leaves(addresses[key].feeds)) {
          const [, answer, , updatedAt] = await client.readContract({ address, abi, functionName: 'latestRoundData' })
          expect(answer).toBeGreaterThan(0n)
          expect(updatedAt).toBe(timestamp)
        }
      }
    } finally {
      await fresh.stop()
    }
  })
})
