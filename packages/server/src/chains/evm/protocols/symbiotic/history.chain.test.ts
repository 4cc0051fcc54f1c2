import { addresses } from '@coffer/devnet'
import { type Address, formatEther, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { amountsIn, historyBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const EPOCH_SECONDS = 7 * 86_400
const BURNER: Address = '0xdead00000000000000000000000000000000b0b0'
const { uni } = addresses.ethereum.tokens
const one = parseEther('1')

const bench = await historyBench(async (chain) => {
  const vault = await deployOwn(chain, 'EpochVault', [uni, BURNER, EPOCH_SECONDS])
  const row = { family: 'symbiotic', key: 'restaking', name: 'Restaking', chain: 'ethereum' }
  return { vault, rows: [{ ...row, deployment: { vaults: [vault.address] } }] }
})
const { vault } = bench.made
const { erc20 } = bench.chain.actions
const quotes = {
  uni: { address: uni, price: '6', had: '10', paid: '4' },
  stake: { address: vault.address, price: '6' },
}

const epoch = () => vault.read<bigint>('currentEpoch')
const pass = (epochs: number) => bench.chain.travel(epochs * EPOCH_SECONDS)

/** A wallet with ten units. */
async function newStaker(): Promise<Address> {
  const wallet = bench.newWallet()
  await erc20.mint(uni, wallet, 10n * one)
  await erc20.allow(uni, wallet, vault.address)
  return wallet
}

const deposit = (wallet: Address, amount: bigint, owner = wallet) => vault.write(wallet, 'deposit', owner, amount)
const withdraw = (wallet: Address, amount: bigint, claimer = wallet) => vault.write(wallet, 'withdraw', claimer, amount)
const claim = (wallet: Address, ended: bigint, recipient = wallet) => vault.write(wallet, 'claim', recipient, ended)

const summary = (found: readonly WalletTransaction[]) => amountsIn(found, { uni, share: vault.address })

it('a stake leaves in two epochs, is claimed one by one and together, and keeps its cost', async () => {
  const wallet = await newStaker()
  let first = 0n
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await withdraw(wallet, one)
    first = (await epoch()) + 1n
    await pass(1)
    await withdraw(wallet, 2n * one)
    await pass(1)
    await withdraw(wallet, 3n * one)
    await pass(2)
    await claim(wallet, first)
    await vault.write(wallet, 'claimBatch', wallet, [first + 1n, first + 2n])
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
  const wallet = await newStaker()
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await withdraw(wallet, 10n * one)
    const leaving = (await epoch()) + 1n
    // A part of all stakes and withdrawals of the next epoch.
    const { timestamp } = await bench.client.getBlock()
    await vault.write(BURNER, 'onSlash', (await erc20.balanceOf(uni, vault.address)) / 2n, Number(timestamp))
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
  const [wallet, other] = [await newStaker(), bench.newWallet()]
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
