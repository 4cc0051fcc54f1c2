import { addresses, addStrategy, deployEigenLayer, ownArtifact } from '@coffer/devnet'
import { type Address, parseEther, parseGwei, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { unsold } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsIn, ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DELAY_BLOCKS = 30
const BLOCK_SECONDS = 12
const BEACON: Address = '0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0'
const WHOLE = 10n ** 18n
const { tokens, lido } = addresses.ethereum

const rows: ProtocolRow[] = []
const random = seededRandom('eigenlayer')
const bench = await ownBench(rows)
const { chain, client } = bench
const { erc20 } = chain.actions
const made = await deployEigenLayer(chain, DELAY_BLOCKS, tokens.link)
const hub = contractOf(chain, made.hub, 'RestakingHub')
const uni = await addStrategy(chain, made.hub, tokens.uni)
const steth = await addStrategy(chain, made.hub, lido.steth)
/** Nothing is sent to it: a share is a token. */
const even = await addStrategy(chain, made.hub, tokens.uni)
const eigen = { strategy: made.eigenStrategy, token: made.eigen }
/** Paid token by strategy. */
const paidIn = new Map<Address, Address>([
  [uni, tokens.uni],
  [steth, lido.steth],
  [eigen.strategy, eigen.token],
  [BEACON, zeroAddress],
])
const managers = ['delegationManager', 'strategyManager', 'eigenPodManager', 'rewardsCoordinator']
rows.push({
  ...{ family: 'eigenlayer', key: 'eigenlayer', name: 'EigenLayer', chain: 'ethereum' },
  deployment: {
    ...Object.fromEntries(managers.map((name) => [name, made.hub])),
    ...{ strategies: [uni, steth], wrapped: [eigen], blockSeconds: BLOCK_SECONDS },
  },
})
await bench.discover()

async function give(wallet: Address, token: Address, amount: bigint): Promise<void> {
  if (token === lido.steth) await chain.actions.lido.submit(wallet, amount)
  else await erc20.mint(token, wallet, amount)
  await erc20.allow(token, wallet, made.hub)
}

const deposit = (wallet: Address, strategy: Address, token: Address, amount: bigint) =>
  hub.write(wallet, 'depositIntoStrategy', strategy, token, amount)

async function stake(wallet: Address, strategy: Address, amount: bigint): Promise<void> {
  const backing = strategy === eigen.strategy ? tokens.link : (paidIn.get(strategy) ?? zeroAddress)
  await give(wallet, backing, amount)
  await deposit(wallet, strategy, backing, amount)
}

async function newOperator(): Promise<Address> {
  const operator = random.address()
  await hub.write(operator, 'registerAsOperator', zeroAddress, 0, '')
  return operator
}

const delegate = (wallet: Address, operator: Address) =>
  hub.write(wallet, 'delegateTo', operator, { signature: '0x', expiry: 0n }, `0x${'00'.repeat(32)}`)

const slash = (operator: Address, strategy: Address, part: bigint) =>
  hub.write(random.address(), 'slash', operator, strategy, part)

/** `amount`: held by the pod's validators. */
async function newPod(wallet: Address, amount: bigint): Promise<void> {
  await hub.write(wallet, 'createPod')
  await hub.write(wallet, 'checkpoint', wallet, 0n, amount)
}

type Share = { strategy: Address; shares: bigint }
type Queue = [{ strategies: Address[]; startBlock: number }[], bigint[][]]

async function depositedOf(wallet: Address, block?: bigint): Promise<Share[]> {
  const [strategies, shares] = await hub.at(block).read<[Address[], bigint[]]>('getDepositedShares', wallet)
  return strategies.map((strategy, i) => ({ strategy, shares: shares[i] ?? 0n }))
}

const queue = (wallet: Address, ...withdrawals: readonly (readonly Share[])[]) =>
  hub.write(
    wallet,
    'queueWithdrawals',
    withdrawals.map((parts) => ({
      strategies: parts.map(({ strategy }) => strategy),
      depositShares: parts.map(({ shares }) => shares),
      deprecatedWithdrawer: wallet,
    })),
  )

/** By the strategy's own answer. A pod pays whole gwei. */
async function worthOf(strategy: Address, shares: bigint, block: bigint): Promise<bigint> {
  if (strategy === BEACON) return shares - (shares % parseGwei('1'))
  return contractOf(chain, strategy, 'RestakingStrategy').at(block).read('sharesToUnderlyingView', shares)
}

type Facts = Pick<Position, 'kind' | 'label'> & { unlockAt?: number | undefined }
type Shown = Facts & { pool: string; token: string; amountRaw: bigint }

/** Compares positions with the protocol's views at the block. */
async function check(wallet: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const { timestamp } = await client.getBlock({ blockNumber: block })
  const deposited = await depositedOf(wallet, block)
  const strategies = deposited.map(({ strategy }) => strategy)
  const [withdrawable = []] = await hub.at(block).read<bigint[][]>('getWithdrawableShares', wallet, strategies)
  const [withdrawals, due] = await hub.at(block).read<Queue>('getQueuedWithdrawals', wallet)
  const shownAs = async (strategy: Address, shares: bigint, facts: Facts) => ({
    ...{ unlockAt: undefined, ...facts, pool: evmAddress(strategy), token: evmAddress(paidIn.get(strategy) ?? '0x') },
    amountRaw: await worthOf(strategy, shares, block),
  })
  const staked = strategies.map((strategy, i) =>
    shownAs(strategy, withdrawable[i] ?? 0n, { kind: 'staked', label: strategy === BEACON ? 'Pod' : 'Stake' }),
  )
  const queued = withdrawals.flatMap(({ strategies: parts, startBlock }, i) => {
    const first = startBlock + DELAY_BLOCKS + 1
    const left = first - Number(block)
    const facts: Facts = {
      ...{ kind: 'locked', label: left > 0 ? `Withdrawal, pending until block ${first}` : 'Withdrawal, ready' },
      ...{ unlockAt: left > 0 ? Number(timestamp) + left * BLOCK_SECONDS : undefined },
    }
    return parts.map((strategy, j) => shownAs(strategy, due[i]?.[j] ?? 0n, facts))
  })
  const expected: Shown[] = await Promise.all([...staked, ...queued])
  const shown = positions.map(({ kind, label, unlockAt, pool, supplied: [amount] }) => ({
    ...{ kind, label, unlockAt, pool, ...amount },
  }))
  expect(shown).toEqual(expected.filter(({ amountRaw }) => amountRaw > 0n))
  for (const { receipts, supplied, borrowed, rewards } of positions)
    expect([receipts, supplied.length, borrowed, rewards]).toEqual([[], 1, [], []])
  return positions
}

it('reads random stakes, pods and withdrawals, delegated and slashed, through the delay', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [wallet, operator] = [random.address(), await newOperator()]
    const all = [uni, steth, eigen.strategy]
    for (const strategy of all) await stake(wallet, strategy, random.amount(10n ** 6n, parseEther('40')))
    await newPod(wallet, random.amount(1n, 40n * 10n ** 9n) * parseGwei('1'))
    await slash(operator, random.pick(all), random.amount(1n, WHOLE / 2n))
    await delegate(wallet, operator)
    // Tokens sent to a strategy, and growth of stETH, belong to its shares.
    await erc20.mint(tokens.uni, uni, random.amount(1n, parseEther('9')))
    await chain.actions.lido.rebase(random.amount(1n, parseEther('5')))
    await check(wallet)
    for (const { strategy, shares } of await depositedOf(wallet)) {
      await queue(wallet, [{ strategy, shares: random.amount(1n, shares) }])
    }
    for (const strategy of [...all, BEACON]) await slash(operator, strategy, random.amount(0n, WHOLE / 3n))
    await hub.write(wallet, 'checkpoint', wallet, parseEther('40'), -parseEther('3'))
    await stake(wallet, random.pick(all), random.amount(10n ** 6n, parseEther('4')))
    const left = (await depositedOf(wallet)).map(({ strategy, shares }) => ({ strategy, shares: 1n + shares / 3n }))
    await queue(wallet, left)
    expect((await check(wallet)).length).toBeGreaterThanOrEqual(10)
    await client.mine({ blocks: DELAY_BLOCKS - random.index(4) })
    // Too late for completed delays, in time for the others.
    for (const strategy of [...all, BEACON]) await slash(operator, strategy, random.amount(0n, WHOLE / 3n))
    const labels = (await check(wallet)).map(({ label }) => label)
    expect(labels).toContain('Withdrawal, ready')
  }
})

it('a withdrawal is ready in the block in which it can be completed, and pays what is shown', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('7'))
  await delegate(wallet, operator)
  await queue(wallet, await depositedOf(wallet))
  const queuedAt = Number(await client.getBlockNumber())
  await slash(operator, uni, WHOLE / 10n)
  const [pending] = await check(wallet)
  expect(pending?.label).toBe(`Withdrawal, pending until block ${queuedAt + DELAY_BLOCKS + 1}`)
  // The next transaction would otherwise be in the block before.
  await client.mine({ blocks: queuedAt + DELAY_BLOCKS - 1 - Number(await client.getBlockNumber()) })
  await expect(complete(wallet, tokens.uni)).rejects.toThrow()
  expect((await check(wallet)).map(({ label, unlockAt }) => [label.split(',')[1], typeof unlockAt])).toEqual([
    [` pending until block ${queuedAt + DELAY_BLOCKS + 1}`, 'number'],
  ])
  await client.mine({ blocks: 1 })
  const [ready] = await check(wallet)
  expect([ready?.label, ready?.unlockAt]).toEqual(['Withdrawal, ready', undefined])
  await complete(wallet, tokens.uni)
  expect(await erc20.balanceOf(tokens.uni, wallet)).toBe(ready?.supplied[0]?.amountRaw)
  expect(await check(wallet)).toEqual([])
})

it('an operator that undelegates a wallet queues all it has: the wallet has nothing else and is still read', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('2'))
  await stake(wallet, steth, parseEther('3'))
  await delegate(wallet, operator)
  await hub.write(operator, 'undelegate', wallet)
  expect((await check(wallet)).map(({ kind }) => kind)).toEqual(['locked', 'locked'])
})

it('a stake whose operator lost all is worth nothing and shown as nothing', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('2'))
  await stake(wallet, eigen.strategy, parseEther('2'))
  await delegate(wallet, operator)
  await slash(operator, uni, WHOLE)
  expect((await check(wallet)).map(({ pool }) => pool)).toEqual([evmAddress(eigen.strategy)])
})

it('a pod with a deficit of shares is nothing, and never a debt or a failure', async () => {
  const wallet = random.address()
  await newPod(wallet, parseEther('32'))
  await hub.write(wallet, 'setDeficit', wallet, -parseEther('1'))
  expect(await check(wallet)).toEqual([])
  await stake(wallet, uni, parseEther('1'))
  expect((await check(wallet)).map(({ label }) => label)).toEqual(['Stake'])
})

it('what a pod holds and has not proven is not added to its shares, which count it already', async () => {
  const wallet = random.address()
  await newPod(wallet, parseEther('32'))
  // The validator has left the beacon chain.
  await chain.actions.native.give(await hub.read<Address>('ownerToPod', wallet), parseEther('32.5'))
  const [position, ...others] = await check(wallet)
  expect([position?.supplied, others]).toEqual([[{ token: NATIVE, amountRaw: parseEther('32') }], []])
})

it('EIGEN is shown as EIGEN, although bEIGEN lies in its strategy', async () => {
  const wallet = random.address()
  await stake(wallet, eigen.strategy, parseEther('5'))
  const [position] = await check(wallet)
  expect(position?.supplied.map(({ token }) => token)).toEqual([evmAddress(eigen.token)])
})

it('a vault of fixed duration reports when withdrawals begin, unless they were released before', async () => {
  const wallet = random.address()
  const vault = contractOf(chain, await addStrategy(chain, made.hub, tokens.uni), 'RestakingStrategy')
  paidIn.set(vault.address, tokens.uni)
  await stake(wallet, vault.address, parseEther('5'))
  const unlocksAt = async () => (await bench.read(wallet)).positions.map(({ unlockAt }) => unlockAt)
  expect(await unlocksAt()).toEqual([undefined])
  await vault.write(wallet, 'lock', 4_000_000_000)
  expect(await unlocksAt()).toEqual([4_000_000_000])
  await vault.write(wallet, 'open')
  expect(await unlocksAt()).toEqual([undefined])
})

it('a strategy of a token that refuses, or burns its gas, is left out and reported, and the others stand', async () => {
  const wallet = random.address()
  // `balanceOf` reverts, or runs without an end.
  for (const bytecode of ['0x5f5ffd', '0x5b5f56'] as const) {
    const address = await chain.deploy(ownArtifact('WrappedBacking'), [tokens.uni])
    const strategy = await addStrategy(chain, made.hub, address)
    await wrap(wallet, address, tokens.uni, parseEther('1'))
    await deposit(wallet, strategy, address, parseEther('1'))
    await client.setCode({ address, bytecode })
  }
  await stake(wallet, uni, parseEther('1'))
  const { positions, missing } = await bench.readPartly(wallet)
  expect(positions.map(({ pool }) => pool)).toEqual([evmAddress(uni)])
  const strategies = (await depositedOf(wallet)).slice(0, 2).map(({ strategy }) => strategy)
  expect(missing).toEqual(strategies.map((strategy) => `Error: strategy ${strategy} could not be read`))
})

it('a wallet that has nothing there costs no second call', bench.expectNothing)

/** Wraps a fresh amount, which the hub may take. */
async function wrap(wallet: Address, token: Address, backing: Address, amount: bigint): Promise<void> {
  await bench.give(wallet, backing, amount, token)
  await contractOf(chain, token, 'WrappedBacking').write(wallet, 'wrap', amount)
  await erc20.allow(token, wallet, made.hub)
}

async function queueAndWait(wallet: Address, ...parts: readonly Share[]): Promise<void> {
  await queue(wallet, ...parts.map((part) => [part]))
  await client.mine({ blocks: DELAY_BLOCKS })
}

/** Completes the wallet's oldest withdrawal. */
async function complete(wallet: Address, token: Address, asTokens = true): Promise<void> {
  const [[withdrawal]] = await hub.read<Queue>('getQueuedWithdrawals', wallet)
  if (!withdrawal) throw new Error('nothing is queued')
  await hub.write(wallet, 'completeQueuedWithdrawal', withdrawal, [token], asTokens)
}

const NAMED = { coin: NATIVE, ...tokens, eigen: eigen.token, pod: BEACON, inUni: even, inEigen: eigen.strategy }
const { costs } = namedHistory(bench, () => NAMED)
const summary = (transactions: readonly WalletTransaction[]) =>
  amountsIn(transactions, NAMED).filter(({ length }) => length > 1)

const five = parseEther('5')

it('tokens go into a strategy and come back by a withdrawal, or stay by one that is taken as shares', async () => {
  const wallet = random.address()
  const found = await bench.played(wallet, async () => {
    await give(wallet, tokens.uni, five)
    await deposit(wallet, even, tokens.uni, five)
    await queueAndWait(wallet, { strategy: even, shares: five / 5n })
    await queueAndWait(wallet, { strategy: even, shares: (five * 4n) / 5n })
    await complete(wallet, tokens.uni)
    await complete(wallet, tokens.uni, false)
  })
  expect(summary(found)).toEqual([
    ['TRANSFERIN null', `acquire ${five} uni`],
    ['STAKE eigenlayer', `move -${five} uni`, 'move 0 inUni'],
    ['UNSTAKE eigenlayer', `move ${five / 5n} uni`, 'move 0 inUni'],
  ])
  // The five cost 6 USD each; four of them are still in.
  expect(costs(wallet, 'uni 6', found)).toEqual({
    held: { uni: '1 at 6', 'uni in a position': '4 at 24' },
    ...unsold('30'),
  })
})

it('growth of a strategy comes out with the stake, in one leg', async () => {
  const wallet = random.address()
  const vault = await addStrategy(chain, made.hub, tokens.uni)
  await give(wallet, tokens.uni, five)
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, vault, tokens.uni, five)
    await erc20.mint(tokens.uni, vault, parseEther('1'))
    await queueAndWait(wallet, { strategy: vault, shares: five })
    await complete(wallet, tokens.uni)
  })
  // (6e18 + 1000) * 5e18 / (5e18 + 1000): a thousand shares have no owner.
  const back = 5_999_999_999_999_999_800n
  expect(summary(found).map((leg) => leg.slice(0, 2))).toEqual([
    ['STAKE eigenlayer', `move -${five} uni`],
    ['UNSTAKE eigenlayer', `move ${back} uni`],
  ])
  // Five at 4 USD come back, and the growth is income at 6 USD: 0.9999999999999998 * 6.
  expect(costs(wallet, 'uni 6 had 5 at 4', found)).toEqual({
    held: { uni: '5.9999999999999998 at 25.9999999999999988' },
    ...unsold('25.9999999999999988', '5.9999999999999988'),
  })
})

it('EIGEN goes in and comes back, regardless of its form in the strategy; so does the underlying token', async () => {
  const wallet = random.address()
  await wrap(wallet, eigen.token, tokens.link, five)
  await give(wallet, tokens.link, five)
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, eigen.strategy, eigen.token, five)
    await deposit(wallet, eigen.strategy, tokens.link, five)
    const part = { strategy: eigen.strategy, shares: five }
    await queueAndWait(wallet, part, part)
    await complete(wallet, eigen.token)
    await complete(wallet, tokens.link)
  })
  expect(summary(found)).toEqual([
    ['STAKE eigenlayer', `move -${five} eigen`, 'move 0 inEigen'],
    ['STAKE eigenlayer', `move -${five} link`, 'move 0 inEigen'],
    ['UNSTAKE eigenlayer', `move ${five} eigen`, 'move 0 inEigen'],
    ['UNSTAKE eigenlayer', `move ${five} link`, 'move 0 inEigen'],
  ])
})

it('a deposit for another wallet is sent to it, and is no stake of the payer', async () => {
  const [payer, staker] = [random.address(), random.address()]
  await give(payer, tokens.uni, five)
  const before = await client.getBlockNumber()
  await hub.write(payer, 'depositIntoStrategyWithSignature', uni, tokens.uni, five, staker, 0n, '0x')
  const [sent] = await bench.readSince(payer, before)
  expect([sent?.type, sent?.movements.map(({ treatment, counterparty }) => [treatment, counterparty])]).toEqual([
    'TRANSFEROUT',
    [['send', evmAddress(staker)]],
  ])
  expect(summary(await bench.readSince(staker, before))).toEqual([])
})

it('a validator of a pod is a stake, and comes out of the pod with what it has earned', async () => {
  const [wallet, payer] = [random.address(), random.address()]
  const value = parseEther('32')
  const out = parseEther('32.5')
  await bench.fund(wallet, parseEther('33'))
  await bench.fund(payer, parseEther('40'))
  const data = hub.data('stake', `0x${'01'.repeat(48)}`, `0x${'02'.repeat(96)}`, `0x${'03'.repeat(32)}`)
  const staked = await bench.played(wallet, () => bench.send(wallet, made.hub, data, value))
  const quotes = 'coin 2000 had 33 at 1500'
  expect(costs(wallet, quotes, staked)).toMatchObject({
    held: { coin: '1 at 1500', 'coin in a position': '32 at 48000' },
  })
  const taken = await bench.played(wallet, async () => {
    await hub.pay(payer, out, 'checkpoint', wallet, 0n, out)
    await queueAndWait(wallet, { strategy: BEACON, shares: out })
    await complete(wallet, zeroAddress)
  })
  const found = [...staked, ...taken]
  expect(summary(found)).toEqual([
    ['STAKE eigenlayer', `move -${value} coin`],
    ['UNSTAKE eigenlayer', `move ${out} coin`, 'move 0 pod'],
  ])
  // Half a coin was earned, at 2,000 USD.
  expect(costs(wallet, quotes, found)).toEqual({ held: { coin: '33.5 at 50500' }, ...unsold('50500', '1000') })
})

it('a pod pays its owner in coin, and what is claimed is income', async () => {
  const wallet = random.address()
  const payer = random.address()
  await bench.fund(payer, parseEther('40'))
  await hub.write(wallet, 'createPod')
  const value = parseEther('32')
  await hub.pay(payer, value, 'checkpoint', wallet, 0n, value)
  await give(payer, tokens.uni, five)
  const found = await bench.played(wallet, async () => {
    await queueAndWait(wallet, { strategy: BEACON, shares: value })
    await complete(wallet, zeroAddress)
    await hub.write(payer, 'claimFor', wallet, wallet, tokens.uni, five)
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE eigenlayer', `move ${value} coin`, 'move 0 pod'],
    ['CLAIM eigenlayer', `income ${five} uni`],
  ])
})
