import type { LiveEvents } from '@coffer/contract/portal'
import { useEffect } from 'react'
import { outageOver } from '../lib/connection.ts'
import { HOLDINGS, queryClient, sessionQuery } from './queries.ts'
import { addressOf } from './request.ts'

/** Paths whose answers follow from the transactions of a wallet. */
const OF_SYNCS = ['/v1/status', '/v1/transactions', '/v1/credits', '/credits', '/ledger'] as const
/** Paths whose answers follow from what is read of a wallet. */
const OF_READS = [HOLDINGS, '/v1/portfolio', '/v1/nav', '/v1/approvals/:chain'] as const
const ALL = [...OF_SYNCS, ...OF_READS]

/** A service that starts, or has too many streams, refuses one; it is asked again then. */
const AGAIN_MS = 5_000
/** What the service finds in one look comes together, and is asked for together. */
const TOGETHER_MS = 50

/**
 * Reads anew what is on screen when the service tells that it changed. The one stream of events of the page; it is open
 * while the page is seen, and comes back by itself. Without it the page works, and shows what is new when it is looked at again.
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
    // Until the page is looked at again: two that took turns would end each other's for ever.
    on('replaced', close)
    opened.addEventListener('open', () => {
      if (mayHaveMissed) renew({ paths: ALL, isLast: true })
      mayHaveMissed = true
    })
    opened.addEventListener('error', () => {
      void outageOver()
      mayHaveMissed = true
      // One that was cut is asked for by the browser, one that was refused is not.
      if (opened.readyState !== EventSource.CLOSED) return
      close()
      // Where the session has ended, this leads to the sign-in.
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

/** What changed: of an address, or of all. After the last change of a kind no other event tells of it. */
type Change = { paths: readonly string[]; address?: string; isLast: boolean }

/** Reads anew those of the account's queries that changes are about, once for all that come together. */
function createRenewal(account: string): (change: Change) => void {
  let changes: Change[] = []
  function flush(): void {
    const told = changes
    changes = []
    void queryClient.invalidateQueries(
      {
        predicate: ({ queryKey }) => told.some(({ paths, address }) => isAbout(queryKey, { account, paths, address })),
      },
      // An answer that is on its way may be older than the change; while more changes come, it is waited for.
      { cancelRefetch: told.some(({ isLast }) => isLast) },
    )
  }
  return (change) => {
    if (changes.length === 0) setTimeout(flush, TOGETHER_MS)
    changes.push(change)
  }
}

type Subject = { account: string; paths: readonly string[]; address: string | undefined }

/** Whether a query asks one of the paths for an address. One that names none asks for what the whole account has. */
export function isAbout(key: readonly unknown[], { account, paths, address }: Subject): boolean {
  const [kind, owner, path, ...asked] = key
  if (kind !== 'accounts' || owner !== account || !paths.some((one) => one === path)) return false
  const text = JSON.stringify(asked).toLowerCase()
  return address === undefined || !ANY_ADDRESS.test(text) || text.includes(address.toLowerCase())
}

/** Nothing else in what is asked is as long a word. */
const ANY_ADDRESS = /\w{32}/
