import {
  jupiterOrderFigures,
  jupiterVoteFigures,
  jupiterOrders as ordersFixture,
  jupiterVote as voteFixture,
} from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
} from '../../../../test/solana-reader-of.ts'
import { jupiterOrders } from './jupiter-orders/adapter.ts'
import { jupiterVote } from './jupiter-vote/adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

describe('orders of Jupiter', () => {
  it('hold what is not spent and what is not paid out', async () => {
    const random = seededRandom('Jupiter orders')
    for (let i = 0; i < 100; i++) {
      const some = () => random.amount(0n, 1n) * random.amount(1n, 2n ** 60n)
      const [left, paid] = [some(), some()]
      const fixture = await ordersFixture(WALLET, {
        limit: { making: some(), inReserve: random.pick([null, some(), some()]) },
        recurring: {
          inDeposited: left + paid + 3n,
          inWithdrawn: paid,
          inUsed: 3n,
          outReceived: left + paid,
          outWithdrawn: paid,
        },
        averaging: { inLeft: some(), outReceived: paid + left, outWithdrawn: left },
      })
      const { positions, reader } = await positionsOf(jupiterOrders, {
        accounts: fixture.accounts,
        wallet: WALLET,
        clock,
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
    }
  })

  it('are searched only in programs that the wallet has used', async () => {
    const { accounts, expected } = await ordersFixture(WALLET)
    const used = ['DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M']
    const one = await positionsOf(jupiterOrders, { accounts, wallet: WALLET, clock, used })
    expect(figuresOf(one.positions)).toEqual(expected.slice(1, 2))
    expect(one.reader.searched).toEqual(used)
    const none = await positionsOf(jupiterOrders, { accounts, wallet: WALLET, clock, used: [] })
    expect([none.positions, none.reader.trips()]).toEqual([[], 0])
  })

  it('are nothing where the reserve has been paid back', async () => {
    for (const inReserve of [null, 0n]) {
      const { accounts } = await ordersFixture(WALLET, { ...jupiterOrderFigures, limit: { making: 5n, inReserve } })
      const { positions } = await positionsOf(jupiterOrders, { accounts, wallet: WALLET, clock })
      expect(positions.map(({ label }) => label)).toEqual(['Recurring order', 'Value averaging order'])
    }
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await ordersFixture(WALLET)
    for (const account of accounts) {
      const short = changed(accounts, account.address, (whole) => ({ ...whole, data: whole.data.slice(0, -37) }))
      await expect(positionsOf(jupiterOrders, { accounts: short, wallet: WALLET, clock })).rejects.toEqual(invalid)
    }
    const foreign = changed(accounts, accounts[3]?.address ?? '', ofAnotherProgram)
    await expect(positionsOf(jupiterOrders, { accounts: foreign, wallet: WALLET, clock })).rejects.toEqual(invalid)
  })
})

describe('JUP that is locked to vote', () => {
  it('is shown with the day on which it opens', async () => {
    const random = seededRandom('Jupiter votes')
    for (let i = 0; i < 100; i++) {
      const fixture = await voteFixture(WALLET, {
        amount: random.amount(0n, 2n ** 63n),
        endsAt: random.amount(1_780_000_000n, 1_800_000_000n),
        isMaxLock: random.pick([true, false]),
        leaving: [random.amount(1n, 2n ** 40n)].map((amount) => ({ amount, expiration: 1_790_000_000n + amount })),
      })
      const { positions, reader } = await positionsOf(jupiterVote, {
        accounts: fixture.accounts,
        wallet: WALLET,
        clock,
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBe(1)
    }
  })

  it('is found without a search, what leaves as one sum', async () => {
    const leaving = [300n, 40n].map((amount) => ({ amount, expiration: 1_791_000_000n }))
    const { accounts } = await voteFixture(WALLET, { ...jupiterVoteFigures, leaving })
    const { positions, reader } = await positionsOf(jupiterVote, { accounts, wallet: WALLET, clock, used: [] })
    expect(positions.map(({ supplied, unlockAt }) => [supplied[0]?.amountRaw, unlockAt])).toEqual([
      [2_500_000_003n, 1_792_592_000],
      [340n, undefined],
    ])
    expect(reader.searched).toEqual([])
  })

  it('is nothing for others, and not believed where accounts are not what they should be', async () => {
    const { accounts } = await voteFixture(WALLET)
    expect((await positionsOf(jupiterVote, { accounts: [], wallet: WALLET, clock })).positions).toEqual([])
    for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram]) {
      const given = { accounts: changed(accounts, accounts[0]?.address ?? '', change), wallet: WALLET, clock }
      await expect(positionsOf(jupiterVote, given)).rejects.toEqual(invalid)
    }
  })
})
