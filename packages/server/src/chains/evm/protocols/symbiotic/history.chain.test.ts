import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, erc20Abi, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const EPOCH_SECONDS = 7 * 86_400
const BURNER: Address = '0xdead00000000000000000000000000000000b0b0'
const { uni } = addresses.ethereum.tokens
const vaultAbi = parseAbi([
  'function deposit(address onBehalfOf, uint256 amount) returns (uint256, uint256)',
  'function withdraw(address claimer, uint256 amount) returns (uint256, uint256)',
  'function redeem(address claimer, uint256 shares) returns (uint256, uint256)',
  'function claim(address recipient, uint256 epoch) returns (uint256)',
  'function claimBatch(address recipient, uint256[] epochs) returns (uint256)',
  'function onSlash(uint256 amount, uint48 captureTimestamp) returns (uint256)',
  'function currentEpoch() view returns (uint256)',
])

let bench: HistoryBench
let vault: Address
let quotes: Parameters<typeof bookedCosts>[2]
let nextWallet = 0x59_3b_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    vault = await chain.deploy(ownArtifact('EpochVault'), [uni, BURNER, EPOCH_SECONDS])
    quotes = {
      uni: { address: uni, price: '6', had: '10', paid: '4' },
      stake: { address: vault, price: '6' },
    }
    const row = { family: 'symbiotic', key: 'restaking', name: 'Restaking', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { vaults: [vault] } }] }
  })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: vault, abi: vaultAbi }) as const
const write: typeof bench.chain.write = (call) => bench.chain.write(call)
const epoch = () => bench.client.readContract({ address: vault, abi: vaultAbi, functionName: 'currentEpoch' })
const pass = (epochs: number) => bench.chain.travel(epochs * EPOCH_SECONDS)

async function give(wallet: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.mint(uni, wallet, amount)
  await bench.chain.actions.erc20.allow(uni, wallet, vault)
}

const deposit = (wallet: Address, amount: bigint, owner = wallet) =>
  write({ ...at(wallet), functionName: 'deposit', args: [owner, amount] })

const withdraw = (wallet: Address, amount: bigint, claimer = wallet) =>
  write({ ...at(wallet), functionName: 'withdraw', args: [claimer, amount] })

const claim = (wallet: Address, ended: bigint, recipient = wallet) =>
  write({ ...at(wallet), functionName: 'claim', args: [recipient, ended] })

/** Slashes all stakes, and withdrawals of the next epoch, by a part of the total. */
async function slash(amount: bigint): Promise<void> {
  const { timestamp } = await bench.client.getBlock()
  await write({ ...at(BURNER), functionName: 'onSlash', args: [amount, Number(timestamp)] })
}

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements.map(
      ({ token, amountRaw, treatment }) => `${treatment} ${amountRaw} ${token === evmAddress(uni) ? 'uni' : 'share'}`,
    ),
  ])

const one = parseEther('1')

it('a stake leaves in two epochs, is claimed one by one and together, and keeps its cost', async () => {
  const wallet = newWallet()
  await give(wallet, 10n * one)
  let first = 0n
  const found = await played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await withdraw(wallet, one)
    first = (await epoch()) + 1n
    await pass(1)
    await withdraw(wallet, 2n * one)
    await pass(1)
    await withdraw(wallet, 3n * one)
    await pass(2)
    await claim(wallet, first)
    await write({ ...at(wallet), functionName: 'claimBatch', args: [wallet, [first + 1n, first + 2n]] })
  })
  expect(summary(found)).toEqual([
    ['STAKE restaking', `move -${10n * one} uni`, `move ${10n * one} share`],
    ['UNSTAKE restaking', `move -${one} share`, `move ${one} uni`, `move -${one} uni`, 'move 0 share'],
    ['UNSTAKE restaking', `move -${2n * one} share`, `move ${2n * one} uni`, `move -${2n * one} uni`, 'move 0 share'],
    ['UNSTAKE restaking', `move -${3n * one} share`, `move ${3n * one} uni`, `move -${3n * one} uni`, 'move 0 share'],
    ['WITHDRAW restaking', `move ${one} uni`, 'move 0 share'],
    ['WITHDRAW restaking', `move ${5n * one} uni`, 'move 0 share'],
  ])
  const calm = { basis: '40', realised: '0', disposals: 0, income: '0', flagged: [] }
  // Ten at 4 USD each.
  const after = (count: number) => bookedCosts(bench.book, wallet, quotes, found.slice(0, count))
  expect(after(4)).toEqual({ held: { stake: '4 at 16', 'uni in a position': '6 at 24' }, ...calm })
  expect(after(5)).toEqual({ held: { uni: '1 at 4', stake: '4 at 16', 'uni in a position': '5 at 20' }, ...calm })
  expect(after(6)).toEqual({ held: { uni: '6 at 24', stake: '4 at 16' }, ...calm })
})

it('a slashing pays less than was asked for, and leaves the rest of the cost in the position', async () => {
  const wallet = newWallet()
  await give(wallet, 10n * one)
  const found = await played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await withdraw(wallet, 10n * one)
    const leaving = (await epoch()) + 1n
    const args = [vault] as const
    const kept = await bench.client.readContract({ address: uni, abi: erc20Abi, functionName: 'balanceOf', args })
    await slash(kept / 2n)
    await pass(2)
    await claim(wallet, leaving)
  })
  const paid = found.at(-1)?.movements.find(({ token }) => token === evmAddress(uni))?.amountRaw ?? 0n
  expect(paid).toBeLessThan(6n * one)
  const rest = 10n * one - paid
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      uni: `${formatEther(paid)} at ${formatEther(4n * paid)}`,
      'uni in a position': `${formatEther(rest)} at ${formatEther(4n * rest)}`,
    },
    ...{ basis: '40', realised: '0', disposals: 0, income: '0', flagged: [] },
  })
})

it('stakes and withdrawals for another wallet are sent to it, and what another one claimed is received', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  await give(wallet, 10n * one)
  const before = await bench.client.getBlockNumber()
  await deposit(wallet, 6n * one)
  await deposit(wallet, 4n * one, other)
  await withdraw(wallet, one, other)
  const leaving = (await epoch()) + 1n
  await withdraw(other, one)
  await pass(2)
  await claim(other, leaving, wallet)
  const passed = (transactions: readonly WalletTransaction[]) =>
    transactions.flatMap(({ type, movements }) =>
      movements.flatMap(({ treatment, amountRaw, counterparty }) =>
        treatment === 'move' ? [] : [[type, `${treatment} ${amountRaw < 0n ? '-' : '+'}`, counterparty]],
      ),
    )
  const to = evmAddress(other)
  expect(passed(await bench.readSince(wallet, before))).toEqual([
    ['TRANSFEROUT', 'send -', to],
    ['TRANSFEROUT', 'send -', to],
    ['TRANSFERIN', 'acquire +', to],
  ])
  const found = await bench.readSince(other, before)
  expect(summary(found).map(([action]) => action)).not.toContain('WITHDRAW restaking')
})
