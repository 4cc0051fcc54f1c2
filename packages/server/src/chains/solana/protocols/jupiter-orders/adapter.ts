import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { type AccountData, anchorLayout, type SolanaAccount, struct } from '../../codec/account-data.ts'
import { heldAmount } from '../../codec/token-program.ts'
import { searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { nonZero } from '../amounts.ts'

const LIMIT_PROGRAM = 'j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X'
const DCA_PROGRAM = 'DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M'
const VALUE_PROGRAM = 'VALaaymxQh2mNy2trH9jUqHT1mTow76wpTcGmSWSwJe'

const ORDER = anchorLayout('limit order of Jupiter', LIMIT_PROGRAM, 'PXZJQQ2HEmx', 300)
const MAKER = 8
const orderFields = struct({ inputMint: ['key', 40], reserve: ['key', 168], making: ['u64', 224] })

const DCA = anchorLayout('recurring order of Jupiter', DCA_PROGRAM, 'En3LttUePqB', 289)
const DCA_USER = 8
const dcaFields = struct({
  inputMint: ['key', 40],
  outputMint: ['key', 72],
  inDeposited: ['u64', 120],
  inWithdrawn: ['u64', 128],
  outWithdrawn: ['u64', 136],
  inUsed: ['u64', 144],
  outReceived: ['u64', 152],
})

const VALUE_AVERAGE = anchorLayout('value averaging order of Jupiter', VALUE_PROGRAM, 'bTypv313UGm', 339)
const VALUE_USER = 18
const valueFields = struct({
  inputMint: ['key', 50],
  outputMint: ['key', 82],
  inLeft: ['u64', 275],
  outReceived: ['u64', 299],
  outWithdrawn: ['u64', 307],
})

/**
 * Limit orders (v2), recurring and value averaging: unspent input and unpaid output. An order with a closed or empty
 * reserve has been paid back.
 */
export const jupiterOrders: SolanaAdapter = {
  name: 'jupiter_orders',
  key: 'jupiter_orders',
  title: 'Jupiter Orders',
  siteUrl: 'https://jup.ag',
  searched: [LIMIT_PROGRAM, DCA_PROGRAM, VALUE_PROGRAM],

  async positions(scope) {
    const [orders, recurring, averaging] = await Promise.all([
      searchAccounts(scope, ORDER, MAKER),
      searchAccounts(scope, DCA, DCA_USER),
      searchAccounts(scope, VALUE_AVERAGE, VALUE_USER),
    ])
    const reserves = await scope.reader.accounts(orders.map((order) => orderFields(order).reserve))
    return [
      ...orders.flatMap((order, index) => (reserves[index] ? limitOrder(order, reserves[index]) : [])),
      ...recurring.flatMap(recurringOrder),
      ...averaging.flatMap(averagingOrder),
    ]
  },
}

function limitOrder(order: AccountData, reserve: SolanaAccount): PositionDraft[] {
  const { inputMint, making } = orderFields(order)
  const there = heldAmount(reserve, 'reserve of a limit order of Jupiter')
  const isWhole = there >= making
  return orderPosition('Limit order', order, [{ token: inputMint, amountRaw: isWhole ? making : there }])
}

function recurringOrder(order: AccountData): PositionDraft[] {
  const { inputMint, outputMint, ...raw } = dcaFields(order)
  return orderPosition('Recurring order', order, [
    { token: inputMint, amountRaw: raw.inDeposited - raw.inWithdrawn - raw.inUsed },
    { token: outputMint, amountRaw: raw.outReceived - raw.outWithdrawn },
  ])
}

function averagingOrder(order: AccountData): PositionDraft[] {
  const { inputMint, outputMint, inLeft, outReceived, outWithdrawn } = valueFields(order)
  return orderPosition('Value averaging order', order, [
    { token: inputMint, amountRaw: inLeft },
    { token: outputMint, amountRaw: outReceived - outWithdrawn },
  ])
}

function orderPosition(label: string, order: AccountData, amounts: TokenAmount[]): PositionDraft[] {
  const supplied = nonZero(amounts)
  return supplied.length === 0 ? [] : [{ kind: 'deposit', label, pool: order.address, supplied }]
}
