import { useSyncExternalStore } from 'react'

/** A proof that a call waits for. */
export type AskedProof = { answer: (proved: boolean) => void }

let asked: AskedProof | null = null
let underWay: Promise<boolean> | null = null
const listeners = new Set<() => void>()

function setAsked(next: AskedProof | null): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Asks the user to prove who it is; true when it did. Calls that need the same proof wait for the same dialog. */
export function prove(): Promise<boolean> {
  underWay ??= new Promise<boolean>((resolve) => setAsked({ answer: resolve })).finally(() => {
    underWay = null
    setAsked(null)
  })
  return underWay
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The proof that is asked for; null while none is. */
export const useAskedProof = (): AskedProof | null => useSyncExternalStore(subscribe, () => asked)
