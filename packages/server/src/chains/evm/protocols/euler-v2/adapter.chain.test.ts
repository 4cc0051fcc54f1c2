import { addresses, type EulerStep, eulerAccount, eulerVaults } from '@coffer/devnet'
import { type Address, concat, type Hex, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { LiquidityBudget } from '../../../../domain/liquidity.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { Position } from '../../../../domain/position.ts'
import type { PositionId } from '../adapter.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, euler: places } = addresses.ethereum
const vaults = eulerVaults()
const DAY = 86_400
const ONE = 10n ** 18n

const rows = protocolRows.filter(({ key, chain }) => ['euler_v2', 'erc4626'].includes(key) && chain === 'ethereum')
const bench = await protocolBench(rows)
const { chain, client } = bench
const { euler, erc20 } = chain.actions
await bench.recognise(Object.values(vaults).map(evmAddress))

const at = (vault: Address) => contractOf(chain, vault, 'EulerVault')
const sharesOf = (vault: Address, account: Address) => at(vault).read('balanceOf', account)
const assetsOf = (vault: Address, shares: bigint) => at(vault).read('convertToAssets', shares)

/** Share values by the vaults' own conversion, and debts. */
async function accountOf(account: Address, held: readonly Address[] = Object.values(vaults)) {
  const supplied: (readonly [Address, bigint])[] = []
  const borrowed: (readonly [Address, bigint])[] = []
  for (const vault of held) {
    const asset = await at(vault).read<Address>('asset')
    supplied.push([asset, await assetsOf(vault, await sharesOf(vault, account))])
    if (vault !== vaults.earn) borrowed.push([asset, await at(vault).read('debtOf', account)])
  }
  return { supplied: expectedAmounts(...supplied), borrowed: expectedAmounts(...borrowed) }
}

async function healthOf(controller: Address, account: Address) {
  const [backed, owed] = await at(controller).read<[bigint, bigint]>('accountLiquidity', account, true)
  return (backed * ONE) / owed
}

const totalOf = (positions: readonly Position[]) => ({
  supplied: amountsOf(positions.flatMap(({ supplied }) => supplied)),
  borrowed: amountsOf(positions.flatMap(({ borrowed }) => borrowed)),
})

const numbered = (positions: readonly Position[], number: number) =>
  positions.filter(({ pool, tokenId }) => pool === evmAddress(places.evc) && tokenId === BigInt(number))

const later = (random: Random, most = 60 * DAY) => chain.travel(1 + random.index(most))

const give = (wallet: Address, asset: Address, amount: bigint) => erc20.mint(asset, wallet, amount)

async function deposit(wallet: Address, vault: Address, asset: Address, amount: bigint, to = wallet) {
  await give(wallet, asset, amount)
  await euler.call(wallet, vault, 'deposit', amount, to)
}

/** A debt in USDC of one account against WETH, in one batch like Euler's interface. */
async function borrowAs(wallet: Address, number: number, weth: bigint, usdc: bigint) {
  const account = eulerAccount(wallet, number)
  await give(wallet, tokens.weth, weth)
  const steps: EulerStep[] = [
    [wallet, vaults.weth, 'deposit', weth, account],
    [wallet, places.evc, 'enableCollateral', account, vaults.weth],
    [wallet, places.evc, 'enableController', account, vaults.usdc],
    [account, vaults.usdc, 'borrow', usdc, wallet],
  ]
  await euler.batch(wallet, steps)
  return account
}

it('reads random shares of the wallet itself, accrued to the block, each vault alone', async () => {
  const random = seededRandom('euler shares')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    for (const [vault, asset, most] of [
      [vaults.usdc, tokens.usdc, parseUnits('90000', 6)],
      [vaults.weth, tokens.weth, parseEther('30')],
      [vaults.escrow, tokens.wbtc, 10n ** 9n],
      [vaults.earn, tokens.usdc, parseUnits('5000', 6)],
    ] as const) {
      const amount = random.amount(1000n, most)
      await deposit(wallet, vault, asset, amount)
    }
    await later(random)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(totalOf(positions)).toEqual(await accountOf(wallet))
    expect(positions.map(({ kind, pool, receipts }) => [kind, pool, receipts])).toEqual(
      Object.values(vaults).map((vault) => ['yield', evmAddress(vault), [evmAddress(vault)]]),
    )
  }
})

it('reads random debts of the wallet itself and of its sub-accounts, each with its number and health', async () => {
  const random = seededRandom('euler accounts')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const numbers = [...new Set([0, 1 + random.index(255), 1 + random.index(255)])]
    for (const number of numbers) {
      await borrowAs(wallet, number, parseEther('4'), random.amount(1n, parseUnits('9000', 6)))
    }
    await later(random)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(positions.length).toBe(numbers.length)
    for (const number of numbers) await checkDebt(wallet, number, positions)
  }
})

async function checkDebt(wallet: Address, number: number, positions: readonly Position[]) {
  const account = eulerAccount(wallet, number)
  const own = numbered(positions, number)
  expect(own).toMatchObject([
    {
      ...{ kind: 'lending', protocol: 'euler_v2', label: number === 0 ? 'Account' : `Sub-account ${number}` },
      receipts: number === 0 ? [evmAddress(vaults.weth)] : [],
      healthFactorRaw: await healthOf(vaults.usdc, account),
    },
  ])
  expect(totalOf(own)).toEqual(await accountOf(account))
}

it('finds sub-accounts that no log names by the connector: collateral enabled without a call as the account', async () => {
  const random = seededRandom('euler silent')
  const wallet = random.address()
  const account = eulerAccount(wallet, 77)
  await deposit(wallet, vaults.usdc, tokens.usdc, 10n ** 9n, account)
  await euler.call(wallet, places.evc, 'enableCollateral', account, vaults.usdc)
  // Logs name the wallet after its registration.
  const own: PositionId = { contract: evmAddress(places.evc), key: BigInt(wallet) }
  const { positions: before } = await bench.read(wallet, { keys: [own] })
  expect(before).toEqual([])
  expect(await bench.findKeys(wallet)).toMatchObject([own, { ...own, key: BigInt(account) }])
  const { positions } = await bench.read(wallet)
  expect(totalOf(positions)).toEqual(await accountOf(account))
  expect(positions.map(({ label }) => label)).toEqual(['Sub-account 77'])
})

it('reads shares that a sub-account holds without any collateral, by its calls', async () => {
  const random = seededRandom('euler plain')
  const wallet = random.address()
  const [first, second] = [eulerAccount(wallet, 3), eulerAccount(wallet, 4)]
  await give(wallet, tokens.usdc, 10n ** 9n)
  await euler.batch(wallet, [
    [wallet, vaults.usdc, 'deposit', 10n ** 9n, first],
    [first, vaults.usdc, 'transfer', second, 4n * 10n ** 8n],
  ])
  await euler.batch(wallet, [[second, vaults.usdc, 'redeem', 10n ** 8n, wallet, second]])
  const { positions } = await bench.read(wallet)
  for (const [number, account] of [
    [3, first],
    [4, second],
  ] as const) {
    expect(totalOf(numbered(positions, number))).toEqual(await accountOf(account))
  }
  expect(positions.length).toBe(2)
})

it('has a health of 1 or less exactly where the vault lets itself be liquidated', async () => {
  const random = seededRandom('euler health')
  const wallet = random.address()
  const liquidator = random.address()
  const account = await borrowAs(wallet, 9, parseEther('5'), parseUnits('10000', 6))
  await deposit(liquidator, vaults.weth, tokens.weth, parseEther('100'))
  await euler.batch(liquidator, [
    [liquidator, places.evc, 'enableCollateral', liquidator, vaults.weth],
    [liquidator, places.evc, 'enableController', liquidator, vaults.usdc],
  ])
  const open: boolean[] = []
  for (const price of [3000n, 2400n, 2300n, 2000n]) {
    await euler.setPrice(tokens.weth, price * ONE)
    const { positions, block } = await bench.read(wallet)
    const [position] = numbered(positions, 9)
    expect(position?.healthFactorRaw).toBe(await healthOf(vaults.usdc, account))
    const args = [account, vaults.weth, 2n ** 256n - 1n, 1n] as const
    const liquidated = at(vaults.usdc)
      .at(block)
      .simulate(liquidator, 'liquidate', ...args)
    const isOpen = await liquidated.then(
      () => true,
      () => false,
    )
    expect((position?.healthFactorRaw ?? 0n) <= ONE).toBe(isOpen)
    open.push(isOpen)
  }
  expect(open).toEqual([false, false, true, true])
  // The remainder after a partial liquidation.
  await euler.call(liquidator, vaults.usdc, 'liquidate', account, vaults.weth, parseUnits('2000', 6), 0n)
  const { positions } = await bench.read(wallet)
  expect(totalOf(positions)).toEqual(await accountOf(account))
  const { positions: taken } = await bench.read(liquidator)
  expect(totalOf(taken)).toEqual(await accountOf(liquidator))
  await euler.setPrice(tokens.weth, 3000n * ONE)
})

it.each(['reverts', 'burnsGas'] as const)('has no health where the oracle %s, and all amounts', async (answers) => {
  const random = seededRandom(`euler oracle ${answers}`)
  const wallet = random.address()
  const accounts = [
    await borrowAs(wallet, 1, parseEther('2'), 10n ** 9n),
    await borrowAs(wallet, 2, parseEther('2'), 10n ** 9n),
  ]
  await euler.turnOracle(answers)
  const { positions } = await bench.read(wallet)
  for (const [i, account] of accounts.entries()) {
    const own = numbered(positions, i + 1)
    expect(own.map(({ healthFactorRaw }) => healthFactorRaw)).toEqual([undefined])
    expect(totalOf(own)).toEqual(await accountOf(account))
  }
  await euler.turnOracle('honest')
})

it('counts shares of a vault of anyone as far as it could pay, and in full once a perspective vouches for it', async () => {
  const random = seededRandom('euler stranger')
  const [victim, outsider] = [random.address(), random.address()]
  const vault = await euler.createVault(tokens.usdc, places.oracle)
  const worthless = await euler.createVault(tokens.spam, places.oracle)
  await euler.accept(vault, worthless)
  await euler.trust(worthless)
  await euler.setPrice(tokens.spam, 10n ** 40n)
  const million = parseUnits('1000000', 6)
  await deposit(outsider, vault, tokens.usdc, million, victim)
  await deposit(outsider, worthless, tokens.spam, ONE)
  const left = random.amount(1n, 10n ** 6n)
  await euler.batch(outsider, [
    [outsider, places.evc, 'enableCollateral', outsider, worthless],
    [outsider, places.evc, 'enableController', outsider, vault],
    [outsider, vault, 'borrow', million - left, outsider],
  ])
  await bench.recognise([evmAddress(vault)])
  const shares = await sharesOf(vault, victim)
  const { positions } = await bench.read(victim)
  expect(totalOf(positions).supplied).toEqual(
    expectedAmounts([tokens.usdc, left], [vault, (shares * (million - left)) / million]),
  )
  // Its share price pays no more either.
  const [part] = (await bench.decompose('euler_v2', vault, shares)) ?? []
  expect(part?.amountRaw).toBe(million)
  expect(part?.backing && new LiquidityBudget().take(million, part.backing)).toBe(left)
  await euler.verify(vault)
  expect(await bench.decompose('euler_v2', vault, shares)).toEqual([
    { token: evmAddress(tokens.usdc), amountRaw: million },
  ])
  await bench.recognise([vault, ...Object.values(vaults)].map(evmAddress))
  expect(totalOf((await bench.read(victim)).positions).supplied).toEqual(expectedAmounts([tokens.usdc, million]))
})

it('recognises vaults and tokens of debts by the factories alone', async () => {
  const wallet = seededRandom('euler kinds').address()
  const debtToken = await at(vaults.usdc).read<Address>('dToken')
  await borrowAs(wallet, 0, parseEther('2'), 10n ** 9n)
  expect(await erc20.balanceOf(debtToken, wallet)).toBe(10n ** 9n)
  // Claims to be the debt token of a real vault. Other calls burn all gas.
  const liar = seededRandom('euler liar').address()
  await client.setCode({ address: liar, bytecode: concat(['0x73', vaults.usdc, '0x5f5260205ff3']) })
  const burner = seededRandom('euler burner').address()
  await client.setCode({ address: burner, bytecode: '0x5b5f56' })
  const [row] = (await bench.discover()).filter(({ deployment }) => deployment.key === 'euler_v2')
  const asked = [vaults.usdc, vaults.earn, debtToken, liar, burner, tokens.spam, places.evc].map(evmAddress)
  const found = await row?.deployment.adapter.recognise?.({
    reader: bench.openReader(),
    deployment: row.deployment.deployment,
    tokens: asked,
    isListed: () => false,
  })
  const usdc = evmAddress(tokens.usdc)
  expect(found).toEqual([
    { address: evmAddress(vaults.usdc), role: 'vault', fungible: true, underlyings: [usdc] },
    { address: evmAddress(vaults.earn), role: 'vault', fungible: true, underlyings: [usdc] },
    { address: evmAddress(debtToken), role: 'debt', fungible: false, underlyings: [usdc] },
  ])
  row?.protocolContracts.push(...(found ?? []))
  await bench.recognise([vaults.weth, vaults.escrow].map(evmAddress))
  // The debt token adds nothing.
  const { positions } = await bench.read(wallet)
  expect(totalOf(positions)).toEqual(await accountOf(wallet))
})

it('counts nothing of accounts that a contract names as its own, or that belong to another', async () => {
  const random = seededRandom('euler forger')
  const [victim, forger, fake] = [random.address(), random.address(), random.address()]
  const account = await borrowAs(victim, 5, parseEther('2'), 10n ** 9n)
  const honest = await bench.findKeys(victim)
  // Accepts every call, so the connector may call it in the victim's name.
  await client.setCode({ address: forger, bytecode: '0x00' })
  for (const number of [6, 7, 200]) {
    const args = [forger, eulerAccount(victim, number), 0n, '0x12345678'] as const
    await contractOf(chain, places.evc, 'EulerConnector').write(forger, 'call', ...args)
  }
  // Another contract with the connector's code, whose logs also name the victim.
  await client.setCode({ address: fake, bytecode: (await client.getCode({ address: places.evc })) as Hex })
  await euler.call(victim, fake, 'enableCollateral', eulerAccount(victim, 8), vaults.usdc)
  expect(await bench.findKeys(victim)).toEqual(honest)
  const { positions } = await bench.read(victim)
  expect(totalOf(positions)).toEqual(await accountOf(account))
  // Position IDs of one wallet mean nothing to another wallet, nor to an address among its sub-accounts.
  for (const other of [forger, account]) {
    expect((await bench.read(other, { keys: honest })).positions.map(({ tokenId }) => tokenId)).not.toContain(5n)
  }
})

it('leaves to another wallet what is its own, though its address is one of the accounts', async () => {
  const random = seededRandom('euler neighbours')
  const wallet = random.address()
  const neighbour = eulerAccount(wallet, 1)
  await deposit(neighbour, vaults.usdc, tokens.usdc, 10n ** 9n)
  // The connector has no actions yet: each has only its own shares.
  expect((await bench.read(wallet)).positions).toEqual([])
  expect(totalOf((await bench.read(neighbour)).positions)).toEqual(await accountOf(neighbour))
  await borrowAs(wallet, 2, parseEther('2'), 10n ** 9n)
  // The wallet is the owner after that. Its positions include what it used at the other address, but never that
  // address's tokens.
  expect(totalOf((await bench.read(wallet)).positions)).toEqual(await accountOf(eulerAccount(wallet, 2)))
  const shares = totalOf((await bench.read(neighbour)).positions)
  expect(shares).toEqual(await accountOf(neighbour))
})

it('reads 256 accounts of one wallet', async () => {
  const random = seededRandom('euler crowd')
  const wallet = random.address()
  await give(wallet, tokens.usdc, 10n ** 12n)
  const all = Array.from({ length: 256 }, (_, number) => eulerAccount(wallet, number))
  for (let from = 0; from < all.length; from += 64) {
    const some = all.slice(from, from + 64)
    await euler.batch(
      wallet,
      some.map((account, i): EulerStep => [wallet, vaults.usdc, 'deposit', BigInt(1_000_000 + from + i), account]),
    )
    await euler.batch(
      wallet,
      some.map((account): EulerStep => [account, places.evc, 'enableCollateral', account, vaults.usdc]),
    )
  }
  expect((await bench.findKeys(wallet)).length).toBe(256)
  const { positions } = await bench.read(wallet)
  // The wallet itself owes nothing: its shares are a position of the vault.
  expect(positions.length).toBe(256)
  for (const number of [1, 100, 255]) {
    expect(totalOf(numbered(positions, number))).toEqual(await accountOf(eulerAccount(wallet, number)))
  }
})

it('says what is missing while a vault that backs a debt is not known', async () => {
  const random = seededRandom('euler unknown')
  const wallet = random.address()
  const vault = await euler.createVault(tokens.usdc, places.oracle)
  const account = eulerAccount(wallet, 1)
  await give(wallet, tokens.usdc, 10n ** 9n)
  await euler.batch(wallet, [
    [wallet, vault, 'deposit', 10n ** 9n, account],
    [wallet, places.evc, 'enableCollateral', account, vault],
  ])
  const contract = evmAddress(places.evc)
  const keys = [wallet, account].map((one) => ({ contract, key: BigInt(one) }))
  const why: unknown[] = []
  const { positions } = await bench.read(wallet, { keys, leftOut: (error) => why.push(error) })
  expect(positions).toEqual([])
  expect(why).toEqual([expect.any(NotFoundYet)])
  // The background search finds it.
  expect(totalOf((await bench.read(wallet)).positions)).toEqual(await accountOf(account, [vault]))
})

it('counts a vault over vaults as far as these could pay', async () => {
  const random = seededRandom('euler earn')
  const [wallet, other] = [random.address(), random.address()]
  const amount = random.amount(10n ** 9n, 10n ** 11n)
  await deposit(wallet, vaults.earn, tokens.usdc, amount)
  const cash = await at(vaults.usdc).read('cash')
  const left = random.amount(1n, amount / 2n)
  await borrowAs(other, 0, (cash * ONE) / parseUnits('1500', 6), cash - left)
  const { positions } = await bench.read(wallet)
  const claimed = await assetsOf(vaults.earn, await sharesOf(vaults.earn, wallet))
  const paid = await at(vaults.earn).read('maxWithdraw', wallet)
  expect(paid).toBeLessThan(claimed)
  expect(amountsOf(positions.flatMap(({ supplied }) => supplied))[evmAddress(tokens.usdc)]).toBe(paid)
})
