import type { UsageOutcome } from '@coffer/contract/portal'

const BY_STATUS: Readonly<Record<number, UsageOutcome>> = {
  401: 'access',
  402: 'credits',
  403: 'access',
  429: 'rate',
  503: 'busy',
}

/** How a call ended, as it is counted. */
export function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'ok'
  return BY_STATUS[status] ?? (status < 500 ? 'input' : 'failed')
}
