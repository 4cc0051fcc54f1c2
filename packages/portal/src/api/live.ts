import type { LiveEvents } from '@coffer/contract/portal'
import { useEffect } from 'react'
import { outageOver } from '../lib/connection.ts'
import { HOLDINGS, queryClient, sessionQuery } from './queries.ts'
import { addressOf } from './request.ts'

/** Answers that depend on a wallet's transactions. */
const OF_SYNCS = ['/v1/status', '/v1/transactions', '/v1/credits', '/credits', '/ledger'] as const
/** Answers that depend on reads of a wallet. */
const OF_READS = [HOLDINGS, '/v1/portfolio', '/v1/nav', '/v1/approvals/:chain'] as const
const ALL = [...OF_SYNCS, ...OF_READS]

/** Retry delay: a service that starts, or has too many streams, refuses a stream. */
const AGAIN_MS = 5_000
/** Groups the events of one read into one refetch. */
const TOGETHER_MS = 50

/**
 * Refetches the data on screen when the service reports a change. The page's only event stream is open while the page
 * is visible and reconnects by itself. Without it the page works and refreshes when the user returns to it.
 */
export function useLive(account: string | undefined): void {
  useEffect(() => (account === undefined ? undefined : follow(account)), [account])
}

function follow(account: string): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let mayHaveMissed = document.hidden
  const renew = createRenewal(account)

  function close(): void {
    clearTimeout(again)
    source?.close()
    source = undefined
  }

  function open(): void {
    if (source || document.hidden) return
    clearTimeout(again)
    const opened = new EventSource(addressOf('/accounts/:account/events', { params: { account } }))
    source = opened
    const on = <E extends keyof LiveEvents>(event: E, react: (data: LiveEvents[E]) => void) =>
      opened.addEventListener(event, ({ data }) => react(JSON.parse(data)))
    on('sync', ({ address, sync }) => renew({ paths: OF_SYNCS, address, isLast: sync.state !== 'running' }))
    on('read', ({ address }) => renew({ paths: OF_READS, address, isLast: true }))
    on('jobs', ({ queues }) => queryClient.setQueryData(['operator', '/operator/jobs'], queues))
    // Stays closed until the page is visible again: two pages that took turns would close each other forever.
    on('replaced', close)
    opened.addEventListener('open', () => {
      if (mayHaveMissed) renew({ paths: ALL, isLast: true })
      mayHaveMissed = true
    })
    opened.addEventListener('error', () => {
      void outageOver()
      mayHaveMissed = true
      // The browser reconnects a cut stream, but not a refused one.
      if (opened.readyState !== EventSource.CLOSED) return
      close()
      // Redirects to sign-in if the session has ended.
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      again = setTimeout(open, AGAIN_MS)
    })
  }

  const look = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', look)
  addEventListener('focus', look)
  open()
  return () => {
    document.removeEventListener('visibilitychange', look)
    removeEventListener('focus', look)
    close()
  }
}

/** A change of one address, or of all. `isLast`: no other event of this type follows. */
type Change = { paths: readonly string[]; address?: string; isLast: boolean }

/** Refetches the affected queries, once per group of changes. */
function createRenewal(account: string): (change: Change) => void {
  let changes: Change[] = []
  function flush(): void {
    const reported = changes
    changes = []
    void queryClient.invalidateQueries(
      {
        predicate: ({ queryKey }) =>
          reported.some(({ paths, address }) => isAbout(queryKey, { account, paths, address })),
      },
      // A pending answer may be older than the change. It is replaced only after the last change.
      { cancelRefetch: reported.some(({ isLast }) => isLast) },
    )
  }
  return (change) => {
    if (changes.length === 0) setTimeout(flush, TOGETHER_MS)
    changes.push(change)
  }
}

type Subject = { account: string; paths: readonly string[]; address: string | undefined }

/**
 * Returns true if a query reads one of the paths for the address. A query without an address covers the whole account.
 */
export function isAbout(key: readonly unknown[], { account, paths, address }: Subject): boolean {
  const [kind, owner, path, ...asked] = key
  if (kind !== 'accounts' || owner !== account || !paths.some((one) => one === path)) return false
  const text = JSON.stringify(asked).toLowerCase()
  return address === undefined || !ANY_ADDRESS.test(text) || text.includes(address.toLowerCase())
}

/** No other query value has a word this long. */
const ANY_ADDRESS = /\w{32}/
