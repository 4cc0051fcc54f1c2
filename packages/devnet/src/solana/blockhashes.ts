import type { LiteSVM } from 'litesvm'

/** Slots for which a transaction may reference a block. */
export const BLOCKHASH_SLOTS = 150n

/** The machine knows only the latest hash. */
export const createBlockhashes = (svm: LiteSVM, firstSlot: bigint) => {
  const slots = new Map([[svm.latestBlockhash() as string, firstSlot]])

  return {
    latest: () => svm.latestBlockhash(),
    isRecent: (blockhash: string): boolean => slots.has(blockhash),
    add: (slot: bigint): void => {
      svm.expireBlockhash()
      slots.set(svm.latestBlockhash(), slot)
      for (const [blockhash, at] of slots) {
        if (at + BLOCKHASH_SLOTS >= slot) break
        slots.delete(blockhash)
      }
    },
  }
}
