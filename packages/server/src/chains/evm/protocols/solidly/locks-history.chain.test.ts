import { addresses } from '@coffer/devnet'
import { type Address, formatEther, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { historyBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { openSolidlyLocks } from '../../../../../test/solidly-plays.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const WEEK = 7 * 86_400
const PROTOCOL = 'solidly'
const { usdc, weth, dai, uni: locked } = addresses.ethereum.tokens

const bench = await historyBench(async (chain) => {
  const owner = seededRandom('lock history owner').address()
  const locks = await openSolidlyLocks(chain, { owner, locked, pairs: [[usdc, weth]] })
  return { locks, rows: [locks.row] }
})
const { voter, escrow, distributor, pools, give, lastId, lock, openRelay, payVotes, rebase } = bench.made.locks
const [{ pool, bribes }] = pools as [(typeof pools)[number]]

/** A wallet with whole units that the escrow may take. */
async function newOwner(amount: string): Promise<Address> {
  const wallet = bench.newWallet()
  await give(locked, wallet, parseEther(amount), escrow)
  return wallet
}

const NAMES = new Map(
  Object.entries({ escrow: escrow.address, locked, dai }).map(([name, one]) => [`${evmAddress(one)}`, name]),
)

const { costs } = namedHistory(bench, () => ({ locked, nft: escrow.address }))

/** NFTs by number; coins in whole units. */
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, tokenId, amountRaw, leg, treatment }) => {
        const amount = tokenId === null ? formatEther(amountRaw) : `${tokenId} ${amountRaw}`
        return `${leg} ${treatment} ${NAMES.get(token)} ${amount}`
      })
      .toSorted(),
  ])

it('a lock that grows, is split and merged, and is taken out when it has run out', async () => {
  const wallet = await newOwner('100')
  const first = (await lastId()) + 1n
  const [second, third] = [first + 1n, first + 2n]
  const found = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('60'), 2 * WEEK)
    await escrow.write(wallet, 'increaseAmount', first, parseEther('40'))
    await escrow.write(wallet, 'increaseUnlockTime', first, BigInt(4 * WEEK))
    await escrow.write(wallet, 'split', first, parseEther('30'))
    await escrow.write(wallet, 'merge', second, third)
    await bench.chain.travel(5 * WEEK)
    await escrow.write(wallet, 'withdraw', third)
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, `0 move escrow ${first} 1`, '0 move locked -60'],
    ['STAKE', PROTOCOL, `0 move escrow ${first} 0`, '0 move locked -40'],
    ['INTERACTION', PROTOCOL],
    [
      ...['STAKE', PROTOCOL, `0 move escrow ${first} -1`, '0 move locked 100'],
      ...[`1 move escrow ${second} 1`, '1 move locked -70', `2 move escrow ${third} 1`, '2 move locked -30'],
    ],
    [
      ...['STAKE', PROTOCOL, `0 move escrow ${second} -1`, '0 move locked 70'],
      ...[`1 move escrow ${third} 0`, '1 move locked -70'],
    ],
    ['UNSTAKE', PROTOCOL, `0 move escrow ${third} -1`, '0 move locked 100'],
  ])
  expect(costs(wallet, 'locked 3 had 100 at 2', found)).toEqual({ held: { locked: '100 at 200' }, ...unsold('200') })
})

it('votes with their rewards, a rebase, and a relay', async () => {
  const wallet = await newOwner('50')
  const relay = await openRelay()
  const id = relay + 1n
  const found = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('50'), 30 * WEEK)
    await escrow.write(wallet, 'lockPermanent', id)
    await voter.write(wallet, 'vote', id, [pool], [1n])
    await payVotes(bribes, dai, parseEther('8'))
    await rebase(parseEther('5'))
    await bench.chain.travel(WEEK)
    await voter.write(wallet, 'claimBribes', [bribes.address], [[dai]], id)
    await distributor.write(wallet, 'claim', id)
    await voter.write(wallet, 'depositManaged', id, relay)
    await bench.chain.travel(WEEK)
    await voter.write(wallet, 'withdrawManaged', id)
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, `0 move escrow ${id} 1`, '0 move locked -50'],
    ['INTERACTION', PROTOCOL],
    ['VOTE', PROTOCOL],
    ['CLAIM', PROTOCOL, '0 income dai 8'],
    ['INTERACTION', PROTOCOL],
    ['INTERACTION', PROTOCOL],
    ['INTERACTION', PROTOCOL],
  ])
})

it('a lock made in the name of another is sent, and a rebase of one that has run out is income', async () => {
  const [wallet, other] = [await newOwner('9'), bench.newWallet()]
  const sent = await bench.played(wallet, () =>
    escrow.write(wallet, 'createLockFor', parseEther('9'), BigInt(WEEK), other),
  )
  expect(summary(sent)).toEqual([['TRANSFEROUT', PROTOCOL, '0 send locked -9']])
  expect(sent[0]?.movements.map(({ counterparty }) => counterparty)).toEqual([other])
  const id = await lastId()
  await rebase(parseEther('3'))
  const found = await bench.played(other, async () => {
    await bench.chain.travel(2 * WEEK)
    await distributor.write(other, 'claim', id)
    await escrow.write(other, 'withdraw', id)
  })
  const [claimed, out] = found
  expect([claimed?.type, claimed?.protocol]).toEqual(['CLAIM', PROTOCOL])
  expect(summary(out ? [out] : [])).toEqual([['UNSTAKE', PROTOCOL, `0 move escrow ${id} -1`, '0 move locked 9']])
  const paid = (await bench.chain.actions.erc20.balanceOf(locked, other)) - parseEther('9')
  expect(paid).toBeGreaterThan(0n)
  expect(costs(other, 'locked 3', found.slice(0, 1))).toEqual({
    held: { locked: lot(paid, 3n) },
    ...unsold(3n * paid, 3n * paid),
  })
})

it('a lock that lay in a relay comes out with its rebases and the relay’s, which are income then', async () => {
  const wallet = await newOwner('50')
  const relay = await openRelay()
  const id = relay + 1n
  const rebaseOf = async (ofLock: bigint, amount: string) => {
    await rebase(parseEther(amount))
    await bench.chain.travel(WEEK)
    await distributor.write(bench.newWallet(), 'claim', ofLock)
  }
  const inside = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('50'), 30 * WEEK)
    await rebaseOf(id, '5')
    await voter.write(wallet, 'depositManaged', id, relay)
    await rebaseOf(relay, '8')
    await bench.chain.travel(WEEK)
    await voter.write(wallet, 'withdrawManaged', id)
  })
  const quotes = 'locked 3 had 50 at 2, nft 0'
  expect(costs(wallet, quotes, inside)).toEqual({ held: { nft: '1 at 100' }, ...unsold('100') })
  const out = await bench.played(wallet, async () => {
    await bench.chain.travel(4 * 365 * 86_400)
    await escrow.write(wallet, 'withdraw', id)
  })
  const own = await bench.chain.actions.erc20.balanceOf(locked, wallet)
  expect(own).toBeGreaterThan(parseEther('50'))
  expect(summary(out)).toEqual([['UNSTAKE', PROTOCOL, `0 move escrow ${id} -1`, `0 move locked ${formatEther(own)}`]])
  // The locked amount keeps its cost. The rest is income at 3 USD.
  const income = 3n * (own - parseEther('50'))
  expect(costs(wallet, quotes, [...inside, ...out])).toEqual({
    held: { locked: `${formatEther(own)} at ${formatEther(parseEther('100') + income)}` },
    ...unsold(parseEther('100') + income, income),
  })
})
