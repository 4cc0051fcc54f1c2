import type { Logger } from '../../lib/logger.ts'
import type { Search } from './day-states.ts'

/** Keeps a failed search from stopping the read after it; what it has not found yet is found another day. */
export function quietSearch(search: Search, log: Pick<Logger, 'warn'>): Search {
  return async (chain, wallet, head) => {
    try {
      return await search(chain, wallet, head)
    } catch (err) {
      log.warn(
        { err, chain: chain.key },
        'the search for unlisted assets failed; the snapshot is taken without them and marks that',
      )
      return { found: false, end: 'unfinished' }
    }
  }
}
