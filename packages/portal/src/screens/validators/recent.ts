import { useState } from 'react'
import { readValidatorName, withRecent } from './validator-name.ts'

const storedAt = (account: string): string => `coffer.validators.${account}`

/** Last viewed validators, per browser and account. */
export function useRecentValidators(account: string): { names: readonly string[]; add: (index: string) => void } {
  const [names, setNames] = useState(() => stored(account))
  return {
    names,
    add: (index) => {
      const next = withRecent(stored(account), index)
      localStorage.setItem(storedAt(account), next.join(','))
      setNames(next)
    },
  }
}

const stored = (account: string): string[] =>
  (localStorage.getItem(storedAt(account)) ?? '').split(',').filter((name) => readValidatorName(name) !== null)
