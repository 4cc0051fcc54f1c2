import { type Decimal, ZERO } from '../decimal.ts'
import { least } from './apportion.ts'
import type { Entry, EntryMovement } from './entry.ts'
import type { Lot } from './state.ts'

export type Handover = {
  due: Decimal
  pending: number
  lots: Lot[]
  protocol: string | null
}
export type Handovers = ReadonlyMap<string, Handover>

export function findHandovers(entries: readonly Entry[]): Handovers {
  const wallets = new Set<string | null>(entries.map((entry) => entry.wallet))
  const between = entries.flatMap((entry) =>
    entry.movements
      .filter((movement) => wallets.has(movement.counterparty))
      .map((movement) => ({ movement, key: handoverKey(entry, movement) })),
  )
  const received = new Map<string, Decimal>()
  for (const { movement, key } of between) {
    if (isReceipt(movement)) received.set(key, (received.get(key) ?? ZERO).plus(movement.quantity))
  }
  const handovers = new Map<string, Handover>()
  for (const { movement, key } of between) {
    const expected = received.get(key)
    if (!expected || !isSend(movement)) continue
    const handover = handovers.get(key) ?? { due: ZERO, pending: 0, lots: [], protocol: null }
    handover.due = least(handover.due.minus(movement.quantity), expected)
    handover.pending += 1
    handovers.set(key, handover)
  }
  return handovers
}

export function handoverOf(handovers: Handovers, entry: Entry, movement: EntryMovement): Handover | undefined {
  if (handovers.size === 0 || !(isSend(movement) || isReceipt(movement))) return undefined
  return handovers.get(handoverKey(entry, movement))
}

export function isEarly(handovers: Handovers, entry: Entry, movement: EntryMovement): boolean {
  if (!isReceipt(movement)) return false
  const handover = handoverOf(handovers, entry, movement)
  return handover !== undefined && handover.pending > 0
}

const isSend = (movement: EntryMovement) =>
  movement.treatment === 'send' && movement.quantity.lt(ZERO) && !movement.debt

const isReceipt = (movement: EntryMovement) =>
  movement.treatment === 'acquire' && movement.quantity.gt(ZERO) && !movement.debt

function handoverKey({ wallet, chain }: Entry, { token, tokenId, counterparty, quantity }: EntryMovement): string {
  const [from, to] = quantity.lt(ZERO) ? [wallet, counterparty] : [counterparty, wallet]
  return `${chain} ${token} ${tokenId ?? ''} ${from} ${to}`
}
