import { addresses, addStrategy, deployEigenLayer } from '@coffer/devnet'
import { type Address, encodeFunctionData, parseAbi, parseEther, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const DELAY_BLOCKS = 5
const BEACON: Address = '0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0'
const { tokens } = addresses.ethereum
const hubAbi = parseAbi([
  'struct Withdrawal { address staker; address delegatedTo; address withdrawer; uint256 nonce; uint32 startBlock; address[] strategies; uint256[] scaledShares; }',
  'struct Queued { address[] strategies; uint256[] depositShares; address withdrawer; }',
  'function depositIntoStrategy(address strategy, address token, uint256 amount) returns (uint256)',
  'function depositIntoStrategyWithSignature(address strategy, address token, uint256 amount, address staker, uint256 expiry, bytes signature) returns (uint256)',
  'function queueWithdrawals(Queued[] params)',
  'function completeQueuedWithdrawal(Withdrawal withdrawal, address[] tokens, bool receiveAsTokens)',
  'function createPod() returns (address)',
  'function stake(bytes pubkey, bytes signature, bytes32 root) payable',
  'function checkpoint(address owner, uint256 before, int256 change) payable',
  'function claimFor(address earner, address recipient, address token, uint256 amount)',
  'function getQueuedWithdrawals(address staker) view returns (Withdrawal[] withdrawals, uint256[][] shares)',
])

let bench: HistoryBench
let hub: Address
let uni: Address
let eigen: { strategy: Address; token: Address }
let nextWallet = 0xe1_9e_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    const made = await deployEigenLayer(chain, DELAY_BLOCKS, tokens.link)
    hub = made.hub
    uni = await addStrategy(chain, hub, tokens.uni)
    eigen = { strategy: made.eigenStrategy, token: made.eigen }
    const managers = { delegationManager: hub, strategyManager: hub, eigenPodManager: hub, rewardsCoordinator: hub }
    const deployment = { ...managers, strategies: [], wrapped: [eigen], blockSeconds: 12 }
    const row = { family: 'eigenlayer', key: 'restaking', name: 'Restaking', chain: 'ethereum', deployment }
    return { rows: [row] }
  })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: hub, abi: hubAbi }) as const

async function give(wallet: Address, token: Address, amount: bigint): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(token, wallet, amount)
  await erc20.allow(token, wallet, hub)
}

const deposit = (wallet: Address, strategy: Address, token: Address, amount: bigint) =>
  bench.chain.write({ ...at(wallet), functionName: 'depositIntoStrategy', args: [strategy, token, amount] })

async function queue(wallet: Address, parts: readonly (readonly [strategy: Address, shares: bigint])[]): Promise<void> {
  const params = parts.map(([strategy, shares]) => ({
    strategies: [strategy],
    depositShares: [shares],
    withdrawer: wallet,
  }))
  await bench.chain.write({ ...at(wallet), functionName: 'queueWithdrawals', args: [params] })
  await bench.client.mine({ blocks: DELAY_BLOCKS })
}

/** Completes the wallet's oldest withdrawal. */
async function complete(wallet: Address, token: Address, asTokens = true): Promise<void> {
  const views = { address: hub, abi: hubAbi, functionName: 'getQueuedWithdrawals', args: [wallet] } as const
  const [[withdrawal]] = await bench.client.readContract(views)
  if (!withdrawal) throw new Error('nothing is queued')
  const args = [withdrawal, [token], asTokens] as const
  await bench.chain.write({ ...at(wallet), functionName: 'completeQueuedWithdrawal', args })
}

const NAMES = () =>
  new Map<string, string>(
    Object.entries({
      ...{ coin: NATIVE, uni: tokens.uni, link: tokens.link, eigen: eigen.token, pod: BEACON },
      ...{ inUni: uni, inEigen: eigen.strategy },
    }).map(([name, address]) => [evmAddress(address), name]),
  )

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions
    .filter(({ movements }) => movements.length > 0)
    .map(({ type, protocol, movements }) => [
      `${type} ${protocol}`,
      ...movements.map(({ treatment, amountRaw, token }) => `${treatment} ${amountRaw} ${NAMES().get(token) ?? token}`),
    ])

const five = parseEther('5')

it('tokens go into a strategy and come back by a withdrawal, or stay by one that is taken as shares', async () => {
  const wallet = newWallet()
  const found = await bench.played(wallet, async () => {
    await give(wallet, tokens.uni, five)
    await deposit(wallet, uni, tokens.uni, five)
    await queue(wallet, [[uni, five / 5n]])
    await queue(wallet, [[uni, (five * 4n) / 5n]])
    await complete(wallet, tokens.uni)
    await complete(wallet, tokens.uni, false)
  })
  expect(summary(found)).toEqual([
    ['TRANSFERIN null', `acquire ${five} uni`],
    ['STAKE restaking', `move -${five} uni`, 'move 0 inUni'],
    ['UNSTAKE restaking', `move ${five / 5n} uni`, 'move 0 inUni'],
  ])
  // The five cost 6 USD each; four of them are still in.
  expect(bookedCosts(bench.book, wallet, { uni: { address: tokens.uni, price: '6' } }, found)).toEqual({
    ...{ held: { uni: '1 at 6', 'uni in a position': '4 at 24' }, basis: '30' },
    ...{ realised: '0', disposals: 0, income: '0', flagged: [] },
  })
})

it('growth of a strategy comes out with the stake, in one leg', async () => {
  const wallet = newWallet()
  const vault = await addStrategy(bench.chain, hub, tokens.uni)
  await give(wallet, tokens.uni, five)
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, vault, tokens.uni, five)
    await bench.chain.actions.erc20.mint(tokens.uni, vault, parseEther('1'))
    await queue(wallet, [[vault, five]])
    await complete(wallet, tokens.uni)
  })
  // (6e18 + 1000) * 5e18 / (5e18 + 1000): a thousand shares have no owner.
  const back = 5_999_999_999_999_999_800n
  expect(summary(found).map((leg) => leg.slice(0, 2))).toEqual([
    ['STAKE restaking', `move -${five} uni`],
    ['UNSTAKE restaking', `move ${back} uni`],
  ])
  // Five at 4 USD come back, and the growth is income at 6 USD: 0.9999999999999998 * 6.
  const quotes = { uni: { address: tokens.uni, price: '6', had: '5', paid: '4' } }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { uni: '5.9999999999999998 at 25.9999999999999988' }, basis: '25.9999999999999988' },
    ...{ realised: '0', disposals: 0, income: '5.9999999999999988', flagged: [] },
  })
})

it('EIGEN goes in and comes back, regardless of its form in the strategy; so does the underlying token', async () => {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await give(wallet, tokens.link, 2n * five)
  await erc20.allow(tokens.link, wallet, eigen.token)
  const wrap = { from: wallet, address: eigen.token, abi: parseAbi(['function wrap(uint256 amount)']) } as const
  await bench.chain.write({ ...wrap, functionName: 'wrap', args: [five] })
  await erc20.allow(eigen.token, wallet, hub)
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, eigen.strategy, eigen.token, five)
    await deposit(wallet, eigen.strategy, tokens.link, five)
    await queue(wallet, [
      [eigen.strategy, five],
      [eigen.strategy, five],
    ])
    await complete(wallet, eigen.token)
    await complete(wallet, tokens.link)
  })
  expect(summary(found)).toEqual([
    ['STAKE restaking', `move -${five} eigen`, 'move 0 inEigen'],
    ['STAKE restaking', `move -${five} link`, 'move 0 inEigen'],
    ['UNSTAKE restaking', `move ${five} eigen`, 'move 0 inEigen'],
    ['UNSTAKE restaking', `move ${five} link`, 'move 0 inEigen'],
  ])
})

it('a deposit for another wallet is sent to it, and is no stake of the payer', async () => {
  const [payer, staker] = [newWallet(), newWallet()]
  await give(payer, tokens.uni, five)
  const play = () =>
    bench.chain.write({
      ...at(payer),
      functionName: 'depositIntoStrategyWithSignature',
      args: [uni, tokens.uni, five, staker, 0n, '0x'],
    })
  const before = await bench.client.getBlockNumber()
  await play()
  const [sent] = await bench.readSince(payer, before)
  expect([sent?.type, sent?.movements.map(({ treatment, counterparty }) => [treatment, counterparty])]).toEqual([
    'TRANSFEROUT',
    [['send', evmAddress(staker)]],
  ])
  expect(summary(await bench.readSince(staker, before))).toEqual([])
})

it('a validator of a pod is a stake, and comes out of the pod with what it has earned', async () => {
  const [wallet, payer] = [newWallet(), newWallet()]
  const value = parseEther('32')
  const out = parseEther('32.5')
  await bench.fund(wallet, parseEther('33'))
  await bench.fund(payer, parseEther('40'))
  const args = [`0x${'01'.repeat(48)}`, `0x${'02'.repeat(96)}`, `0x${'03'.repeat(32)}`] as const
  const data = encodeFunctionData({ abi: hubAbi, functionName: 'stake', args })
  const staked = await bench.played(wallet, () => bench.send(wallet, hub, data, value))
  const quotes = { coin: { address: NATIVE, price: '2000', had: '33', paid: '1500' } }
  expect(bookedCosts(bench.book, wallet, quotes, staked)).toMatchObject({
    held: { coin: '1 at 1500', 'coin in a position': '32 at 48000' },
  })
  const taken = await bench.played(wallet, async () => {
    await bench.chain.write({ ...at(payer), functionName: 'checkpoint', args: [wallet, 0n, out], value: out })
    await queue(wallet, [[BEACON, out]])
    await complete(wallet, zeroAddress)
  })
  const found = [...staked, ...taken]
  expect(summary(found).map(([action, ...legs]) => [action, ...legs.filter((leg) => !leg.startsWith('fee'))])).toEqual([
    ['STAKE restaking', `move -${value} coin`],
    ['UNSTAKE restaking', `move ${out} coin`, 'move 0 pod'],
  ])
  // Half a coin was earned, at 2,000 USD.
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { coin: '33.5 at 50500' }, basis: '50500', income: '1000' },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('a pod pays its owner in coin, and what is claimed is income', async () => {
  const wallet = newWallet()
  const payer = newWallet()
  await bench.fund(payer, parseEther('40'))
  await bench.chain.write({ ...at(wallet), functionName: 'createPod' })
  const value = parseEther('32')
  const proof = { ...at(payer), functionName: 'checkpoint', args: [wallet, 0n, value], value } as const
  await bench.chain.write(proof)
  await give(payer, tokens.uni, five)
  const found = await bench.played(wallet, async () => {
    await queue(wallet, [[BEACON, value]])
    await complete(wallet, zeroAddress)
    await bench.chain.write({ ...at(payer), functionName: 'claimFor', args: [wallet, wallet, tokens.uni, five] })
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE restaking', `move ${value} coin`, 'move 0 pod'],
    ['CLAIM restaking', `income ${five} uni`],
  ])
})
