import { useCallback, useState } from 'react'
import { messageOf } from './states.tsx'

/** `error`: message of the last failure. */
export type Work = {
  busy: boolean
  error: string | null
  /** Resolves to true on success. */
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
