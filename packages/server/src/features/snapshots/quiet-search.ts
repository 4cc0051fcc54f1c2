import type { Logger } from '../../lib/logger.ts'
import type { Search } from './day-states.ts'

/** A search whose failure is no reason not to read: what it has not found yet is found another day. */
export function quietSearch(search: Search, log: Pick<Logger, 'warn'>): Search {
  return async (chain, wallet, head) => {
    try {
      return await search(chain, wallet, head)
    } catch (err) {
      log.warn({ err, chain: chain.key }, 'the search for what a wallet may hold stopped')
      return { found: false, end: 'unfinished' }
    }
  }
}
