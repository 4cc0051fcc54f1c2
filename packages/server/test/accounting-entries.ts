import type { Entry, EntryMovement } from '../src/domain/accounting/entry.ts'
import { decimal, toRaw } from '../src/domain/decimal.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { Treatment } from '../src/domain/transaction.ts'
import type { StoredEntry } from '../src/features/history/cost/stored-entries.ts'

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

/**
 * Reads `treatment token amount`, then in any order `@price` (unpriced without it), `#id` of an NFT, `leg:1`,
 * `as:IDENTITY`, `with:wallet`, and `debt`.
 */
function movedAs(text: string): EntryMovement {
  const [treatment = '', token = '', amount = '', ...options] = text.split(' ')
  const after = (prefix: string) => options.find((option) => option.startsWith(prefix))?.slice(prefix.length)
  const [price, id, identity, wallet] = [after('@'), after('#'), after('as:'), after('with:')]
  return moved(treatment as Treatment, token, amount, price ?? null, {
    ...(id !== undefined && { tokenId: BigInt(id) }),
    ...(identity !== undefined && { identity }),
    ...(wallet !== undefined && { with: wallet }),
    leg: Number(after('leg:') ?? 0),
    debt: options.includes('debt'),
  })
}

const read = (movement: string | EntryMovement) =>
  typeof movement === 'string' ? movement.split(', ').map(movedAs) : [movement]

const HEAD = /^([A-Z]+)(?: (\w+))?: /

/**
 * Wallet `own` on ethereum; one transaction per entry. Movements e.g. `swap A -10 @130, swap USDC 1200 @0.99`, after
 * the transaction's type and protocol, e.g. `DEPOSIT vault: move A -100 @2, move S 50 @4`.
 */
export function entry(
  movements: string | readonly (string | EntryMovement)[],
  rest: Partial<Omit<Entry, 'movements' | 'wallet'>> & { wallet?: string } = {},
): Entry {
  const { wallet, ...said } = rest
  const [head, type, protocol] = (typeof movements === 'string' && HEAD.exec(movements)) || ['']
  return {
    wallet: named(wallet ?? 'own'),
    chain: 'ethereum',
    time: 1_800_000_000,
    transaction: null,
    type: (type ?? null) as Entry['type'],
    protocol: protocol ?? null,
    movements: typeof movements === 'string' ? read(movements.slice(head.length)) : movements.flatMap(read),
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
