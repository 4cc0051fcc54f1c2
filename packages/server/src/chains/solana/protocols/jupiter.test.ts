import {
  jupiterOrderFigures,
  jupiterVoteFigures,
  jupiterOrders as ordersFixture,
  jupiterVote as voteFixture,
} from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { positionsOf, readFixture, WALLET } from '../../../../test/solana/protocol-bench.ts'
import { jupiterOrders } from './jupiter-orders/adapter.ts'
import { jupiterVote } from './jupiter-vote/adapter.ts'

describe('orders of Jupiter', () => {
  it('hold what is not spent and what is not paid out', async () => {
    const random = seededRandom('Jupiter orders')
    for (let i = 0; i < 100; i++) {
      const some = () => random.amount(0n, 1n) * random.amount(1n, 2n ** 60n)
      const [left, paid] = [some(), some()]
      const fixture = ordersFixture(WALLET, {
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
      const { figures, expected, trips } = await readFixture(jupiterOrders, fixture)
      expect(figures).toEqual(expected)
      expect(trips).toBeLessThanOrEqual(2)
    }
  })

  it('are searched only in programs that the wallet has used', async () => {
    const used = ['DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M']
    const { figures, expected, searched } = await readFixture(jupiterOrders, ordersFixture(WALLET), { used })
    expect([figures, searched]).toEqual([expected.slice(1, 2), used])
  })

  it('are nothing where the reserve has been paid back', async () => {
    for (const inReserve of [null, 0n]) {
      const figures = { ...jupiterOrderFigures, limit: { making: 5n, inReserve } }
      const { positions } = await readFixture(jupiterOrders, ordersFixture(WALLET, figures))
      expect(positions.map(({ label }) => label)).toEqual(['Recurring order', 'Value averaging order'])
    }
  })
})

describe('JUP that is locked to vote', () => {
  it('is shown with the day on which it opens', async () => {
    const random = seededRandom('Jupiter votes')
    for (let i = 0; i < 100; i++) {
      const fixture = voteFixture(WALLET, {
        amount: random.amount(0n, 2n ** 63n),
        endsAt: random.amount(1_780_000_000n, 1_800_000_000n),
        isMaxLock: random.pick([true, false]),
        leaving: [random.amount(1n, 2n ** 40n)].map((amount) => ({ amount, expiration: 1_790_000_000n + amount })),
      })
      const { figures, expected, trips } = await readFixture(jupiterVote, fixture)
      expect([figures, trips]).toEqual([expected, 1])
    }
  })

  it('is found without a search, what leaves as one sum', async () => {
    const leaving = [300n, 40n].map((amount) => ({ amount, expiration: 1_791_000_000n }))
    const fixture = voteFixture(WALLET, { ...jupiterVoteFigures, leaving })
    const { positions, searched } = await readFixture(jupiterVote, fixture, { used: [] })
    expect(positions.map(({ supplied, unlockAt }) => [supplied[0]?.amountRaw, unlockAt])).toEqual([
      [2_500_000_003n, 1_792_592_000],
      [340n, undefined],
    ])
    expect(searched).toEqual([])
  })

  it('is nothing for others', async () => {
    expect((await positionsOf(jupiterVote, { accounts: [] })).positions).toEqual([])
  })
})
