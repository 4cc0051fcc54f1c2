import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, ofKind, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaFamily } from '../family.ts'

const LIMIT_PROGRAM = 'j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X'
const DCA_PROGRAM = 'DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M'
const VALUE_PROGRAM = 'VALaaymxQh2mNy2trH9jUqHT1mTow76wpTcGmSWSwJe'

const orderField = { maker: 8, inputMint: 40, reserve: 168, making: 224 } as const

const ORDER = kind('limit order of Jupiter', LIMIT_PROGRAM, 'PXZJQQ2HEmx', 300)

const dcaField = {
  user: 8,
  inputMint: 40,
  outputMint: 72,
  inDeposited: 120,
  inWithdrawn: 128,
  outWithdrawn: 136,
  inUsed: 144,
  outReceived: 152,
} as const

const DCA = kind('recurring order of Jupiter', DCA_PROGRAM, 'En3LttUePqB', 289)

const valueField = {
  user: 18,
  inputMint: 50,
  outputMint: 82,
  inLeft: 275,
  outReceived: 299,
  outWithdrawn: 307,
} as const

const VALUE_AVERAGE = kind('value averaging order of Jupiter', VALUE_PROGRAM, 'bTypv313UGm', 339)

const RESERVE: AccountLayout = {
  what: 'reserve of a limit order of Jupiter',
  programs: ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'],
  minLength: 165,
}
const RESERVE_AMOUNT = 64

function kind(what: string, program: SolanaAddress, discriminator: string, minLength: number) {
  return { what, programs: [program], discriminator, minLength } satisfies AccountLayout
}

/**
 * Jupiter's orders: limit orders (second version), recurring and value averaging ones. What they hold for their owner: input that
 * is not spent, and output that is not yet paid out. An order whose reserve is closed or empty has been paid back.
 */
export const jupiterOrders: SolanaFamily = {
  name: 'jupiter_orders',
  key: 'jupiter_orders',
  title: 'Jupiter Orders',
  siteUrl: 'https://jup.ag',
  searched: [LIMIT_PROGRAM, DCA_PROGRAM, VALUE_PROGRAM],

  async positions({ reader, wallet, used }) {
    const search = async (layout: ReturnType<typeof kind>, ownerAt: number) => {
      const [program = ''] = layout.programs
      if (!used.has(program)) return []
      const filters = [ofKind(layout.discriminator), { offset: ownerAt, bytes: wallet }]
      const found = await reader.programAccounts(program, filters)
      return found.map((account) => openAccount(account, layout))
    }
    const [orders, recurring, averaging] = await Promise.all([
      search(ORDER, orderField.maker),
      search(DCA, dcaField.user),
      search(VALUE_AVERAGE, valueField.user),
    ])
    const reserves = await reader.accounts(orders.map((order) => order.key(orderField.reserve)))
    return [
      ...orders.flatMap((order, index) =>
        reserves[index] ? limitOrder(order, openExisting(reserves[index], RESERVE)) : [],
      ),
      ...recurring.flatMap(recurringOrder),
      ...averaging.flatMap(averagingOrder),
    ]
  },
}

function limitOrder(order: AccountData, reserve: AccountData): PositionDraft[] {
  const [making, there] = [order.u64(orderField.making), reserve.u64(RESERVE_AMOUNT)]
  const isWhole = there >= making
  return orderPosition('Limit order', order, [[order.key(orderField.inputMint), isWhole ? making : there]])
}

function recurringOrder(order: AccountData): PositionDraft[] {
  const at = (field: keyof typeof dcaField) => order.u64(dcaField[field])
  return orderPosition('Recurring order', order, [
    [order.key(dcaField.inputMint), at('inDeposited') - at('inWithdrawn') - at('inUsed')],
    [order.key(dcaField.outputMint), at('outReceived') - at('outWithdrawn')],
  ])
}

function averagingOrder(order: AccountData): PositionDraft[] {
  return orderPosition('Value averaging order', order, [
    [order.key(valueField.inputMint), order.u64(valueField.inLeft)],
    [order.key(valueField.outputMint), order.u64(valueField.outReceived) - order.u64(valueField.outWithdrawn)],
  ])
}

function orderPosition(label: string, order: AccountData, amounts: [SolanaAddress, bigint][]): PositionDraft[] {
  const supplied = amounts.filter(([, amountRaw]) => amountRaw > 0n).map(([token, amountRaw]) => ({ token, amountRaw }))
  if (supplied.length === 0) return []
  return [{ kind: 'deposit', label, pool: order.address, supplied, borrowed: [], rewards: [], receipts: [] }]
}
