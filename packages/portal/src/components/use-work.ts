import { useCallback, useState } from 'react'
import { messageOf } from './states.tsx'

/** Something that a button starts: whether it is under way, and the sentence of its last failure. */
export type Work = {
  busy: boolean
  error: string | null
  /** Runs it and answers whether it went well. */
  run: (work: () => Promise<unknown>) => Promise<boolean>
}

export function useWork(): Work {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setError(null)
    try {
      await work()
      return true
    } catch (failure) {
      setError(messageOf(failure))
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  return { busy, error, run }
}
