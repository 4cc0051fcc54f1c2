import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { ChainStores } from '../../chain-reading.ts'
import type { MintLead, MintLeads } from '../protocols/adapter.ts'

const MOST_AT_HAND = 200_000
/** A node that lags finds nothing either, so a miss expires. */
const NONE_MS = 24 * 60 * 60 * 1000
const ROWS_A_STATEMENT = 1_000

export type StoredLeads = {
  of(chain: string, family: string): MintLeads
  load(chain: string, mints: readonly SolanaAddress[]): Promise<void>
  save(): Promise<void>
}

/** In memory: no query splits a batch of reads. Misses are not stored. */
export function createStoredLeads(store: ChainStores['mintLeads'], clock: Clock): StoredLeads {
  const atHand = new BoundedMap<string, { lead: MintLead | null; foundAt: number }>(MOST_AT_HAND)
  const loadedAt = new BoundedMap<string, number>(MOST_AT_HAND)
  const unsaved = new Map<string, { chain: string; family: string; leads: Map<SolanaAddress, MintLead> }>()
  const keyOf = (chain: string, family: string, mint: SolanaAddress) => `${chain} ${family} ${mint}`

  return {
    of: (chain, family) => ({
      get(mint) {
        const known = atHand.get(keyOf(chain, family, mint))
        return known?.lead === null && known.foundAt + NONE_MS <= clock.now() ? undefined : known?.lead
      },
      set(mint, lead) {
        atHand.set(keyOf(chain, family, mint), { lead, foundAt: clock.now() })
        if (!lead) return
        const { leads } = unsaved.get(`${chain} ${family}`) ?? { leads: new Map() }
        unsaved.set(`${chain} ${family}`, { chain, family, leads: leads.set(mint, lead) })
      },
    }),

    async load(chain, mints) {
      const since = clock.now() - NONE_MS
      const missing = mints.filter((mint) => (loadedAt.get(`${chain} ${mint}`) ?? Number.NEGATIVE_INFINITY) <= since)
      if (missing.length === 0) return
      for (const [family, rows] of await store.findAmong(chain, missing)) {
        for (const { address, data = {} } of rows) {
          atHand.set(keyOf(chain, family, address), { lead: data, foundAt: clock.now() })
        }
      }
      for (const mint of missing) loadedAt.set(`${chain} ${mint}`, clock.now())
    },

    async save() {
      const families = [...unsaved.values()]
      unsaved.clear()
      for (const { chain, family, leads } of families) {
        const rows = [...leads].map(([address, data]) => {
          return { address, role: 'share', fungible: true, underlyings: [], data }
        })
        for (const page of pagesOf(rows, ROWS_A_STATEMENT)) await store.add(chain, family, page)
      }
    },
  }
}
