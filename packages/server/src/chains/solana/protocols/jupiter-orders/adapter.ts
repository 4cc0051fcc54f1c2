import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { anchorLayout } from '../../codec/account-data.ts'
import { heldAmount } from '../../codec/token-program.ts'
import { searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'

const LIMIT_PROGRAM = 'j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X'
const DCA_PROGRAM = 'DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M'
const VALUE_PROGRAM = 'VALaaymxQh2mNy2trH9jUqHT1mTow76wpTcGmSWSwJe'

const ORDER = anchorLayout('limit order of Jupiter', LIMIT_PROGRAM, 'PXZJQQ2HEmx', 300, {
  owner: ['key', 8],
  inputMint: ['key', 40],
  reserve: ['key', 168],
  making: ['u64', 224],
})

const DCA = anchorLayout('recurring order of Jupiter', DCA_PROGRAM, 'En3LttUePqB', 289, {
  owner: ['key', 8],
  inputMint: ['key', 40],
  outputMint: ['key', 72],
  inDeposited: ['u64', 120],
  inWithdrawn: ['u64', 128],
  outWithdrawn: ['u64', 136],
  inUsed: ['u64', 144],
  outReceived: ['u64', 152],
})

const VALUE_AVERAGE = anchorLayout('value averaging order of Jupiter', VALUE_PROGRAM, 'bTypv313UGm', 339, {
  owner: ['key', 18],
  inputMint: ['key', 50],
  outputMint: ['key', 82],
  inLeft: ['u64', 275],
  outReceived: ['u64', 299],
  outWithdrawn: ['u64', 307],
})

/** Unspent input and unpaid output. A limit order with a closed or empty reserve has been paid back. */
export const jupiterOrders: SolanaAdapter = {
  key: 'jupiter_orders',
  title: 'Jupiter Orders',
  siteUrl: 'https://jup.ag',
  searched: [LIMIT_PROGRAM, DCA_PROGRAM, VALUE_PROGRAM],

  async positions(scope) {
    const [orders, recurring, averaging] = await Promise.all([
      searchAccounts(scope, ORDER),
      searchAccounts(scope, DCA),
      searchAccounts(scope, VALUE_AVERAGE),
    ])
    const reserves = await scope.reader.accounts(orders.map(({ reserve }) => reserve))
    return [
      ...orders.flatMap(({ address, inputMint, making }, index) => {
        if (!reserves[index]) return []
        const held = heldAmount(reserves[index], 'reserve of a limit order of Jupiter')
        const isWhole = held >= making
        return [orderPosition('Limit order', address, [{ token: inputMint, amountRaw: isWhole ? making : held }])]
      }),
      ...recurring.map(({ address, inputMint, outputMint, ...raw }) =>
        orderPosition('Recurring order', address, [
          { token: inputMint, amountRaw: raw.inDeposited - raw.inWithdrawn - raw.inUsed },
          { token: outputMint, amountRaw: raw.outReceived - raw.outWithdrawn },
        ]),
      ),
      ...averaging.map(({ address, inputMint, outputMint, ...raw }) =>
        orderPosition('Value averaging order', address, [
          { token: inputMint, amountRaw: raw.inLeft },
          { token: outputMint, amountRaw: raw.outReceived - raw.outWithdrawn },
        ]),
      ),
    ]
  },
}

function orderPosition(label: string, pool: SolanaAddress, supplied: TokenAmount[]): PositionDraft {
  return { kind: 'deposit', label, pool, supplied }
}
