import type { LiveEvents } from '@coffer/contract/portal'
import type { Query } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queryClient } from './queries.ts'
import { addressOf } from './request.ts'

/** Paths whose answers follow from the transactions of a wallet. */
const OF_SYNCS = ['/v1/status', '/v1/transactions', '/credits', '/ledger'] as const
/** Paths whose answers follow from what is read of a wallet. */
const OF_READS = ['/v1/portfolio', '/v1/nav', '/v1/wallet', '/v1/approvals/:chain'] as const

/** Looking at a wallet makes a read too, which is told within a second or two: no reason to look again. */
const OWN_READ_MS = 5_000

/**
 * Reads anew what is on screen when the service tells that it changed. The one stream of events of the page; it is open
 * while the page is seen. Without it the page works, and shows what is new when it is looked at again.
 */
export function useLive(account: string | undefined): void {
  useEffect(() => {
    if (account === undefined) return undefined
    let close = listen(account)
    const follow = () => {
      close()
      close = document.hidden ? () => undefined : listen(account)
    }
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    }
  }, [account])
}

function listen(account: string): () => void {
  const source = new EventSource(addressOf('/accounts/:account/events', { params: { account } }))
  const on = <E extends keyof LiveEvents>(event: E, react: (data: LiveEvents[E]) => void) =>
    source.addEventListener(event, ({ data }) => react(JSON.parse(data)))
  const known = new Map<string, string>()
  on('sync', ({ address, sync }) => {
    const [before, now] = [known.get(address), JSON.stringify(sync)]
    known.set(address, now)
    // At first every sync is told as it stands: that is no change.
    if (before !== undefined && before !== now) renewThose(account, OF_SYNCS, address)
  })
  on('read', ({ address }) => renewThose(account, OF_READS, address, Date.now() - OWN_READ_MS))
  on('jobs', ({ queues }) => queryClient.setQueryData(['operator', '/operator/jobs'], queues))
  return () => source.close()
}

/** Reads anew those of the account's queries that are about an address, or about none, and not younger than `until`. */
function renewThose(account: string, paths: readonly string[], address: string, until = Infinity): void {
  const isOld = ({ state }: Query) => state.fetchStatus === 'idle' && state.dataUpdatedAt <= until
  const predicate = (query: Query) => isAbout(query.queryKey, account, paths, address) && isOld(query)
  void queryClient.invalidateQueries({ predicate })
}

/** Whether a query asks one of the paths for an address. One that names none asks for what the whole account has. */
export function isAbout(key: readonly unknown[], account: string, paths: readonly string[], address: string): boolean {
  const [kind, owner, path, ...asked] = key
  if (kind !== 'accounts' || owner !== account || !paths.some((one) => one === path)) return false
  const text = JSON.stringify(asked).toLowerCase()
  return !/address|wallet/.test(text) || text.includes(address.toLowerCase())
}
