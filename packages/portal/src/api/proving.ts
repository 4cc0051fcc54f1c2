import { useSyncExternalStore } from 'react'

export type AskedProof = { answer: (proved: boolean) => void }

let asked: AskedProof | null = null
let underWay: Promise<boolean> | null = null
const listeners = new Set<() => void>()

function setAsked(next: AskedProof | null): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Asks the user to prove their identity; resolves to true on success. Concurrent calls share one dialog. */
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

export const useAskedProof = (): AskedProof | null => useSyncExternalStore(subscribe, () => asked)
