import { addresses, type MarketParams, marketId, morphoMarkets, morphoVaults } from '@coffer/devnet'
import {
  type Address,
  encodeAbiParameters,
  type Hex,
  keccak256,
  maxUint128,
  pad,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseUnits,
  toHex,
  zeroAddress,
} from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, type Call, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import { LiquidityBudget } from '../../../../domain/liquidity.ts'
import { ownersOf } from '../../collect/receipt-directory.ts'
import type { PositionId } from '../adapter.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, morpho } = addresses.ethereum
const { wethUsdc, wbtcWeth, idleUsdc } = morphoMarkets
const DAY = 86_400

/** The market's own functions: a simulation returns their payments. */
const blueAbi = parseAbi([
  'struct Market { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }',
  'function withdraw(Market market, uint256 assets, uint256 shares, address onBehalf, address receiver) returns (uint256 assets, uint256 shares)',
  'function repay(Market market, uint256 assets, uint256 shares, address onBehalf, bytes data) returns (uint256 assets, uint256 shares)',
  'function liquidate(Market market, address borrower, uint256 seizedAssets, uint256 repaidShares, bytes data) returns (uint256, uint256)',
  'function position(bytes32 id, address account) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
  'function market(bytes32 id) view returns (uint128 supplied, uint128 supplyShares, uint128 borrowed, uint128, uint128, uint128)',
])
const adapterAbi = parseAbi(['function realAssets() view returns (uint256)'])

const bench = await protocolBench(
  protocolRows.filter(({ key, chain }) => (key === 'morpho' || key === 'erc4626') && chain === 'ethereum'),
)
const { erc20, morpho: actions } = bench.chain.actions
const blue = contractOf(bench.chain, morpho.blue, blueAbi)
const vaultAt = (address: Address) => contractOf(bench.chain, address, 'MorphoVaultV2')
const { first, second } = morphoVaults()
const vaults = [first, second].map(evmAddress)
/** Pays debts in simulations. */
const payer = bench.devnet.wallets.whale.address
for (const token of [tokens.usdc, tokens.weth]) {
  await bench.give(payer, token, 10n ** 24n, morpho.blue)
}
await bench.recognise(vaults)

const keyOf = (market: MarketParams): PositionId => ({
  contract: evmAddress(morpho.blue),
  key: BigInt(marketId(market)),
})
const positionAt = (market: MarketParams, wallet: Address, { read } = blue.at()) =>
  read<[supplyShares: bigint, borrowShares: bigint, collateral: bigint]>('position', marketId(market), wallet)

/** Payouts, payments and collateral of the wallet at the block, by the market's own functions. */
async function expectation(market: MarketParams, wallet: Address, blockNumber: bigint) {
  const at = blue.at(blockNumber)
  const [shares, debt, collateral] = await positionAt(market, wallet, at)
  const paid = (account: Address, name: string, of: bigint, last: string) =>
    of > 0n ? at.simulate<[bigint, bigint]>(account, name, market, 0n, of, wallet, last) : ([0n, 0n] as const)
  const [out] = await paid(wallet, 'withdraw', shares, wallet)
  const [owed] = await paid(payer, 'repay', debt, '0x')
  const supplied = expectedAmounts([market.loanToken, out], [market.collateralToken, collateral])
  return { supplied, borrowed: expectedAmounts([market.loanToken, owed]), owed, collateral }
}

async function healthOf(market: MarketParams, { owed, collateral }: { owed: bigint; collateral: bigint }) {
  if (owed === 0n) return undefined
  const price = await actions.price(market.oracle)
  const mostOwed = (((collateral * price) / 10n ** 36n) * market.lltv) / 10n ** 18n
  return (mostOwed * 10n ** 18n) / owed
}

/**
 * Reads the wallet, whose logs name its markets, in the same batch as the scan. Compares each market with its own
 * functions.
 */
async function check(wallet: Address, markets: readonly MarketParams[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  for (const market of markets) {
    const position = positions.find(({ tokenId }) => tokenId === keyOf(market).key)
    const expected = await expectation(market, wallet, block)
    expect(amountsOf(position?.supplied)).toEqual(expected.supplied)
    expect(amountsOf(position?.borrowed)).toEqual(expected.borrowed)
    expect(position?.healthFactorRaw).toBe(await healthOf(market, expected))
  }
  return { positions, block }
}

async function lend(wallet: Address, market: MarketParams, amount: bigint, onBehalf: Address = wallet) {
  await erc20.mint(market.loanToken, wallet, amount)
  await actions.supply(wallet, market, amount, onBehalf)
}

async function back(wallet: Address, market: MarketParams, amount: bigint) {
  await erc20.mint(market.collateralToken, wallet, amount)
  await actions.supplyCollateral(wallet, market, amount)
}

const later = (random: Random, most = 60 * DAY) => bench.chain.travel(1 + random.index(most))

it('reads random supplies, interest and the fee of the market accrued to the block', async () => {
  const random = seededRandom('morpho supplies')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await lend(wallet, wethUsdc, random.amount(1n, parseUnits('100000', 6)))
    await lend(wallet, wbtcWeth, random.amount(1n, parseEther('50')))
    await later(random)
    const { positions } = await check(wallet, [wethUsdc, wbtcWeth])
    expect(positions[0]).toMatchObject({ kind: 'lending', protocol: 'morpho', pool: evmAddress(morpho.blue) })
    expect(positions.length).toBe(2)
  }
})

it('reads random debts and collateral, with the health that decides about a liquidation', async () => {
  const random = seededRandom('morpho debts')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await back(wallet, wethUsdc, random.amount(parseEther('2'), parseEther('20')))
    await actions.borrow(wallet, wethUsdc, random.amount(1n, parseUnits('4000', 6)))
    await back(wallet, wbtcWeth, random.amount(10n ** 7n, 10n ** 9n))
    await actions.borrow(wallet, wbtcWeth, random.amount(1n, parseEther('1.2')))
    if (round > 1) await lend(wallet, wethUsdc, random.amount(1n, 10n ** 9n))
    await later(random)
    const { positions } = await check(wallet, [wethUsdc, wbtcWeth])
    for (const { healthFactorRaw } of positions) expect(healthFactorRaw).toBeGreaterThan(10n ** 18n)
  }
})

it('reads collateral alone, and a market that lends to no one', async () => {
  const random = seededRandom('morpho plain')
  const wallet = random.address()
  await back(wallet, wbtcWeth, random.amount(1n, 10n ** 8n))
  await lend(wallet, idleUsdc, random.amount(1n, 10n ** 9n))
  await later(random)
  const { positions } = await check(wallet, [wbtcWeth, idleUsdc])
  expect(positions.map(({ borrowed, healthFactorRaw }) => [borrowed, healthFactorRaw])).toEqual([
    [[], undefined],
    [[], undefined],
  ])
})

const succeeds = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  )

it('says below 1 exactly where the market lets itself be liquidated', async () => {
  const random = seededRandom('morpho health')
  const wallet = random.address()
  await back(wallet, wethUsdc, parseEther('10'))
  await actions.borrow(wallet, wethUsdc, random.amount(parseUnits('15000', 6), parseUnits('20000', 6)))
  await later(random)
  const price = await actions.price(wethUsdc.oracle)
  const { owed } = await expectation(wethUsdc, wallet, await bench.client.getBlockNumber())
  // The price at which the limit equals the debt, in units of the loan token for the whole collateral.
  const edge = (owed * 10n ** 54n) / (wethUsdc.lltv * parseEther('10'))
  const found: boolean[] = []
  for (const one of [price, edge + edge / 10_000n, edge - edge / 10_000n, edge / 2n]) {
    await actions.setPrice(wethUsdc.oracle, one)
    const { positions, block } = await check(wallet, [wethUsdc])
    const isOpen = await succeeds(blue.at(block).simulate(payer, 'liquidate', wethUsdc, wallet, 1n, 0n, '0x'))
    expect((positions[0]?.healthFactorRaw ?? 0n) < 10n ** 18n).toBe(isOpen)
    found.push(isOpen)
  }
  await actions.setPrice(wethUsdc.oracle, price)
  expect(found).toEqual([false, false, true, true])
})

it('reads what is left after a liquidation in part', async () => {
  const random = seededRandom('morpho seized')
  const [wallet, liquidator] = [random.address(), random.address()]
  await back(wallet, wethUsdc, parseEther('10'))
  await actions.borrow(wallet, wethUsdc, parseUnits('20000', 6))
  const price = await actions.price(wethUsdc.oracle)
  await actions.setPrice(wethUsdc.oracle, (price * 75n) / 100n)
  await erc20.mint(tokens.usdc, liquidator, parseUnits('30000', 6))
  await actions.liquidate(liquidator, wethUsdc, wallet, random.amount(parseEther('1'), parseEther('5')))
  await check(wallet, [wethUsdc])
  await actions.setPrice(wethUsdc.oracle, price)
})

it.each(['reverts', 'burnsGas'] as const)('has no health where an oracle %s, and all amounts', async (answers) => {
  const random = seededRandom(`morpho oracle ${answers}`)
  const wallet = random.address()
  await back(wallet, wbtcWeth, 10n ** 8n)
  await actions.borrow(wallet, wbtcWeth, parseEther('1'))
  await back(wallet, wethUsdc, parseEther('1'))
  await actions.borrow(wallet, wethUsdc, parseUnits('500', 6))
  await actions.turnOracle(wbtcWeth.oracle, answers)
  const { positions, block } = await bench.read(wallet)
  await actions.turnOracle(wbtcWeth.oracle, 'honest')
  const [broken, other] = positions
  const expected = await expectation(wbtcWeth, wallet, block)
  expect(broken?.healthFactorRaw).toBeUndefined()
  expect(amountsOf(broken?.supplied)).toEqual(expected.supplied)
  expect(amountsOf(broken?.borrowed)).toEqual(expected.borrowed)
  expect(other?.healthFactorRaw).toBe(await healthOf(wethUsdc, await expectation(wethUsdc, wallet, block)))
})

/** An untrusted token with unlimited mints, in a market whose oracle gives any price. */
async function outsidersMarket(random: Random, loanToken: Address, price: bigint): Promise<MarketParams> {
  const oracle = random.address()
  const code = await bench.client.getCode({ address: wethUsdc.oracle })
  await bench.client.setCode({ address: oracle, bytecode: code as Hex })
  await actions.setPrice(oracle, price)
  const market = { ...wethUsdc, loanToken, collateralToken: tokens.spam, oracle }
  await actions.createMarket(market)
  return market
}

it('counts a supply up to what can be withdrawn, and reports what is missing', async () => {
  const random = seededRandom('morpho trap')
  const [victim, outsider] = [random.address(), random.address()]
  const market = await outsidersMarket(random, tokens.usdc, 10n ** 40n)
  const million = parseUnits('1000000', 6)
  await lend(outsider, market, million, victim)
  await erc20.mint(tokens.spam, outsider, parseEther('1'))
  await actions.supplyCollateral(outsider, market, parseEther('1'))
  await lend(victim, wethUsdc, parseUnits('77', 6))
  const left = random.amount(1n, 10n ** 9n)
  for (const [borrowed, free] of [
    [million - left, left],
    [left, 0n],
  ] as const) {
    await actions.borrow(outsider, market, borrowed)
    const { positions, block, missing } = await bench.readPartly(victim)
    const trap = positions.find(({ tokenId }) => tokenId === keyOf(market).key)
    const own = positions.find(({ tokenId }) => tokenId === keyOf(wethUsdc).key)
    expect(amountsOf(trap?.supplied)).toEqual(expectedAmounts([tokens.usdc, free]))
    expect(amountsOf(own?.supplied)).toEqual((await expectation(wethUsdc, victim, block)).supplied)
    expect(missing.length).toBe(1)
    if (free > 0n) expect(await canWithdraw(market, victim, free, block)).toBe(true)
    expect(await canWithdraw(market, victim, free + 1n, block)).toBe(false)
  }
})

const canWithdraw = (market: MarketParams, account: Address, assets: bigint, block: bigint) =>
  succeeds(blue.at(block).simulate(account, 'withdraw', market, assets, 0n, account, account))

async function freeIn(market: MarketParams): Promise<bigint> {
  const [supplied = 0n, , borrowed = 0n] = await blue.read<bigint[]>('market', marketId(market))
  return supplied - borrowed
}

/** A market's assets are the low halves of two words: near their limit, no interest fits. */
async function fillUp(market: MarketParams): Promise<void> {
  const slots = keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [marketId(market), 3n]))
  for (const place of [0n, 1n]) {
    const index = toHex(BigInt(slots) + place)
    const shares = BigInt((await bench.client.getStorageAt({ address: morpho.blue, slot: index })) ?? 0n) >> 128n
    const value = toHex((shares << 128n) + maxUint128 - 1n, { size: 32 })
    await bench.client.setStorageAt({ address: morpho.blue, index, value })
  }
}

it('leaves out a market that cannot accrue any more, and moves no other figure', async () => {
  const random = seededRandom('morpho overflow')
  const [wallet, outsider] = [random.address(), random.address()]
  const market = await outsidersMarket(random, tokens.nova, 10n ** 45n)
  await lend(outsider, market, parseEther('1000'), wallet)
  await erc20.mint(tokens.spam, outsider, parseEther('1000'))
  await actions.supplyCollateral(outsider, market, parseEther('1000'))
  await actions.borrow(outsider, market, parseEther('900'))
  await lend(wallet, wethUsdc, parseUnits('5', 6))
  await fillUp(market)
  await bench.chain.travel(DAY)
  await expect(actions.accrue(market)).rejects.toThrow()
  const { positions, block } = await bench.read(wallet)
  expect(positions.length).toBe(1)
  expect(amountsOf(positions[0]?.supplied)).toEqual((await expectation(wethUsdc, wallet, block)).supplied)
  // Debt proves that the wallet used the market: it is reported.
  const { positions: none, missing } = await bench.readPartly(outsider)
  expect(none).toEqual([])
  expect(missing).toEqual([`Error: market ${marketId(market)} could not be read`])
})

it('reads a wallet in dozens of markets, each by itself', async () => {
  const random = seededRandom('morpho many')
  const wallet = random.address()
  const oracles = Array.from({ length: 45 }, (_, i) => pad(toHex(0xface_0000 + i), { size: 20 }))
  const markets = oracles.map((oracle) => ({ ...wethUsdc, oracle }))
  for (const market of markets) {
    await actions.createMarket(market)
    await lend(wallet, market, random.amount(1n, 10n ** 9n))
  }
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(3)
  expect(positions.length).toBe(markets.length)
  for (const market of markets) {
    const position = positions.find(({ tokenId }) => tokenId === keyOf(market).key)
    expect(amountsOf(position?.supplied)).toEqual((await expectation(market, wallet, block)).supplied)
  }
})

it('asks nothing of a wallet without keys and vaults', async () => {
  const wallet = seededRandom('morpho nothing').address()
  expect(await bench.read(wallet)).toMatchObject({ positions: [], batches: 1 })
  const { positions } = await bench.read(wallet, { keys: [keyOf(wethUsdc), { ...keyOf(wethUsdc), key: 7n }] })
  expect(positions).toEqual([])
})

async function redeemed(vault: Address, wallet: Address, blockNumber: bigint): Promise<bigint> {
  const { read, simulate } = vaultAt(vault).at(blockNumber)
  return simulate(wallet, 'redeem', await read('balanceOf', wallet), wallet, wallet)
}

async function deposit(wallet: Address, vault: Address, amount: bigint): Promise<void> {
  await erc20.mint(tokens.usdc, wallet, amount)
  await actions.deposit(wallet, vault, amount)
}

it.each([
  ['of the first version', first],
  ['of the second version', second],
])('reads shares of a vault %s as what redeeming them pays', async (name, vault) => {
  const random = seededRandom(`morpho vault ${name}`)
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await deposit(wallet, vault, random.amount(1n, parseUnits('40000', 6)))
    await later(random)
    const { positions, block, batches } = await bench.read(wallet)
    const assets = await redeemed(vault, wallet, block)
    expect(batches).toBe(2)
    expect(positions).toMatchObject([{ kind: 'yield', protocol: 'morpho', pool: evmAddress(vault) }])
    expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts([tokens.usdc, assets]))
    expect(positions[0]?.receipts).toEqual([evmAddress(vault)])
  }
})

it('reads shares that lend through a vault of the first version', async () => {
  const random = seededRandom('morpho vault in vault')
  const inner = await actions.addAdapter(second, 'createVaultAdapter', first)
  const before = await liquidityOf(second)
  await actions.own(second, 'MorphoVaultV2', 'setLiquidityAdapterAndData', [inner, '0x'])
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await deposit(wallet, second, random.amount(10n, parseUnits('4000', 6)))
    await later(random, DAY)
    const { positions, block } = await bench.read(wallet)
    const assets = await redeemed(second, wallet, block)
    expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts([tokens.usdc, assets]))
  }
  await actions.own(second, 'MorphoVaultV2', 'setLiquidityAdapterAndData', before)
})

async function liquidityOf(vault: Address) {
  const { read } = vaultAt(vault)
  return [await read<Address>('liquidityAdapter'), await read<Hex>('liquidityData')] as const
}

const storedVault = (address: EvmAddress) => ({
  ...{ address, role: 'vault', fungible: true, underlyings: [evmAddress(tokens.usdc)] },
})

it('shows the part that a vault cannot pay as shares without a price', async () => {
  const random = seededRandom('morpho vault short')
  const [wallet, borrower] = [random.address(), random.address()]
  for (const vault of [first, second]) await deposit(wallet, vault, parseUnits('20000', 6))
  await back(borrower, wethUsdc, parseEther('2000'))
  const left = random.amount(1n, parseUnits('10000', 6))
  await actions.borrow(borrower, wethUsdc, (await freeIn(wethUsdc)) - left)
  const { positions, block } = await bench.read(wallet)
  const taken: Call[] = []
  const budget = new LiquidityBudget()
  for (const vault of [first, second]) {
    const { call, at } = vaultAt(vault)
    const { read } = at(block)
    const position = positions.find(({ pool }) => pool === evmAddress(vault))
    const { [tokens.usdc.toLowerCase()]: paid = 0n, [vault.toLowerCase()]: unpaid = 0n } = amountsOf(
      position?.supplied ?? [],
    )
    // One after the other: both lend to the market, which pays once.
    const withdraw = (assets: bigint) => call('withdraw', assets, wallet, wallet)
    const lasts = (assets: bigint) => succeeds(bench.incomeBy(wallet, [...taken, withdraw(assets)], [], block))
    expect([await lasts(paid), await lasts(paid + 1n)]).toEqual([true, false])
    taken.push(withdraw(paid))
    const shares = await read('balanceOf', wallet)
    const claimed = await read('convertToAssets', shares)
    expect(unpaid).toBe((shares * (claimed - paid)) / claimed)
    expect(paid).toBeLessThan(claimed)
    if (vault === first) expect(paid).toBe(await read('maxWithdraw', wallet))
    const [part] = (await bench.decompose('morpho', vault, shares)) ?? []
    if (!part?.backing) throw new Error('shares of a vault that nothing vouches for stand for no asset')
    expect(part.amountRaw).toBe(claimed)
    // Shares that exceed the available asset have no price either: the budget is spent.
    expect(budget.take(claimed, part.backing)).toBe(paid)
    expect(budget.take(claimed, part.backing)).toBe(0n)
  }
  await erc20.mint(tokens.usdc, borrower, 10n ** 12n)
  await actions.repay(borrower, wethUsdc, { shares: (await positionAt(wethUsdc, borrower))[1] })
})

it('counts nothing of a vault whose gate keeps the wallet in', async () => {
  const random = seededRandom('morpho gate')
  const wallet = random.address()
  await deposit(wallet, second, 10n ** 9n)
  const gate = random.address()
  // Answers zero to every call.
  await bench.client.setCode({ address: gate, bytecode: '0x60206000f3' })
  const shares = await erc20.balanceOf(second, wallet)
  for (const gates of [
    [gate, zeroAddress],
    [zeroAddress, gate],
  ]) {
    await actions.own(second, 'MorphoVaultV2', 'setGates', gates)
    const { positions } = await bench.read(wallet)
    expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts([second, shares]))
  }
  await actions.own(second, 'MorphoVaultV2', 'setGates', [zeroAddress, zeroAddress])
})

it('recognises what the factories made, and wins over the open row', async () => {
  const idle = seededRandom('morpho idle').address()
  const known = await bench.discover()
  const found = await bench.recognise([...vaults, evmAddress(tokens.usdc), evmAddress(idle), evmAddress(morpho.irm)])
  const made = vaults.map(storedVault)
  expect(found).toEqual(made)
  // With all assets idle, the open deployment also accepts it.
  const [adapter, data] = await liquidityOf(second)
  const lent = await contractOf(bench.chain, adapter, adapterAbi).read('realAssets')
  await actions.own(second, 'MorphoVaultV2', 'deallocate', [adapter, data, lent])
  // A maximum rate bounds interest: a gift to the vault belongs to no one yet.
  await erc20.mint(tokens.usdc, second, 10n ** 11n)
  const both = await bench.recognise([evmAddress(second)])
  expect(both.length).toBe(2)
  const owner = ownersOf(known.map((row) => ({ ...row, protocolContracts: made.slice(1) }))).get(evmAddress(second))
  expect(owner?.deployment.key).toBe('morpho')
})

it('has nothing where nothing is deployed', async () => {
  const [known] = (await bench.discover()).filter(({ deployment }) => deployment.key === 'morpho')
  await bench.client.setCode({ address: morpho.vaultFactory, bytecode: '0x' })
  const found = await known?.deployment.adapter.recognise?.({
    reader: bench.openReader(),
    deployment: known.deployment.deployment,
    tokens: vaults,
    isListed: () => true,
  })
  expect(found?.map(({ address }) => address)).toEqual(vaults.slice(1))
})
