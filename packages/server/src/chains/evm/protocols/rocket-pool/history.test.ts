import { expect, test } from 'vitest'
import { type DraftLog, draftAddress, draftLog, draftWallet } from '../../../../../test/draft-transaction.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { rocketPoolHistory } from './history.ts'

const [store, rpl] = [draftAddress(0x71), draftAddress(0x72)]
const [megapool, other, minipool] = [draftAddress(0x73), draftAddress(0x74), draftAddress(0x75)]
const history = rocketPoolHistory({ store, rpl })

/** Steps of each log with its context. */
function stepsOf(drafts: readonly DraftLog[]) {
  const logs: ReceiptLog[] = drafts.map((log, logIndex) => ({ ...log, logIndex }))
  return logs.map((log, i) =>
    history.step?.(log, draftWallet, {
      ...{ before: logs[i - 1], after: logs[i + 1], underlyings: [], data: {} },
      earlier: () => logs.slice(0, i),
      later: () => logs.slice(i + 1),
      underlyingsOf: () => [],
    }),
  )
}

const shared = (pool: typeof megapool, amount: bigint) =>
  draftLog(pool, 'RewardsDistributed(uint256,uint256,uint256,uint256,uint256)', [], [amount, 0n, 9n, 0n, 0n])
const paid = (pool: typeof megapool, amount: bigint) =>
  draftLog(pool, 'RewardsClaimed(uint256,uint256)', [], [amount, 0n])
const payment = (contract: typeof megapool, capital: bigint, rewards: bigint) => [
  { kind: 'take', purpose: 'stake', position: { contract, id: 0n }, token: NATIVE, amountRaw: capital },
  { kind: 'claim', token: NATIVE, amountRaw: rewards },
]

test('rewards belong to the next payment of the same megapool, and are never more than it', () => {
  const logs = [shared(megapool, 5n), shared(other, 7n), paid(megapool, 8n), paid(megapool, 4n), paid(other, 6n)]
  expect(stepsOf(logs).slice(2)).toEqual([payment(megapool, 3n, 5n), payment(megapool, 4n, 0n), payment(other, 0n, 6n)])
})

test('what a minipool pays to others, and what is cut off, says nothing', () => {
  const event = 'EtherWithdrawn(address,uint256,uint256)'
  expect(stepsOf([draftLog(minipool, event, [other], [8n, 0n])])).toEqual([[]])
  const cut = { ...draftLog(minipool, event, [draftWallet]), data: '0x08' as const }
  expect(stepsOf([cut, { ...paid(megapool, 1n), data: '0x' }])).toEqual([[], []])
})

test('a minipool of another node is given nothing, though the wallet brings coin to the pool in the same transaction', () => {
  const created = (node: typeof other) =>
    draftLog(store, 'MinipoolCreated(address,address,uint256)', [minipool, node], [0n])
  const brought = draftLog(other, 'DepositReceived(address,uint256,uint256)', [draftWallet], [8n, 0n])
  const got = draftLog(minipool, 'EtherDeposited(address,uint256,uint256)', [other], [8n, 0n])
  expect(stepsOf([brought, got])[1]).toBeUndefined()
  expect(stepsOf([created(other), brought, got])[2]).toBeUndefined()
  expect(stepsOf([created(draftWallet), brought, got])[2]).toEqual({
    ...{ kind: 'put', purpose: 'stake', position: { contract: minipool, id: 0n } },
    ...{ token: NATIVE, amountRaw: 8n },
  })
})
