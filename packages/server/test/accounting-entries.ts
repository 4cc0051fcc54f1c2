import type { Entry, EntryMovement } from '../src/domain/accounting/entry.ts'
import { decimal, toRaw } from '../src/domain/decimal.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { Treatment } from '../src/domain/transaction.ts'
import type { StoredEntry } from '../src/features/history/cost/accounting-store.ts'

/** Address with the name's letters and digits in hex. */
export function named(name: string): EvmAddress {
  return `0x${Buffer.from(name).toString('hex').padStart(40, '0')}`
}

type Rest = Partial<Pick<EntryMovement, 'leg' | 'debt' | 'tokenId' | 'identity'>> & { with?: string }

/** 18 decimals, e.g. `moved('swap', 'USDC', '-4000', '1')`. `null`: unpriced. */
export function moved(
  treatment: Treatment,
  token: string,
  amount: string,
  price: string | null,
  rest: Rest = {},
): EntryMovement {
  const quantity = decimal(amount)
  return {
    token: named(token),
    tokenId: rest.tokenId ?? null,
    amountRaw: toRaw(quantity, 18),
    counterparty: rest.with === undefined ? null : named(rest.with),
    debt: rest.debt ?? false,
    leg: rest.leg ?? 0,
    treatment,
    quantity,
    price: price === null ? null : decimal(price),
    identity: rest.identity ?? token,
  }
}

/** Reads `treatment token amount`, and `@price` unless unpriced. */
function movedAs(text: string): EntryMovement {
  const [treatment = '', token = '', amount = '', price] = text.split(' ')
  return moved(treatment as Treatment, token, amount, price?.slice(1) ?? null)
}

const read = (movement: string | EntryMovement) =>
  typeof movement === 'string' ? movement.split(', ').map(movedAs) : [movement]

/** Wallet `own` on ethereum; one transaction per entry. Movements e.g. `swap A -10 @130, swap USDC 1200 @0.99`. */
export function entry(
  movements: string | readonly (string | EntryMovement)[],
  rest: Partial<Omit<Entry, 'movements' | 'wallet'>> & { wallet?: string } = {},
): Entry {
  const { wallet, ...said } = rest
  return {
    wallet: named(wallet ?? 'own'),
    chain: 'ethereum',
    time: 1_800_000_000,
    transaction: null,
    type: null,
    protocol: null,
    movements: typeof movements === 'string' ? read(movements) : movements.flatMap(read),
    ...said,
  }
}

/** A row of the only movement of a transaction of `own` on ethereum. */
export const storedEntry = (of: Partial<StoredEntry>): StoredEntry => ({
  ...{
    wallet: named('own'),
    chain: 'ethereum',
    block: 1n,
    time: 1_800_000_000,
    tx_index: 0,
    hash: '0x1',
    type: 'SWAP',
  },
  ...{ protocol: null, place: 0, token: '0xc0', token_id: null, amount: '1', counterparty: null, debt: false, leg: 0 },
  ...{ treatment: 'swap', price: '1', plain: false, native_known: true, multiplier: null },
  ...of,
})
