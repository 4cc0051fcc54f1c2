import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { ChainStores } from '../../chain-reading.ts'
import type { MintLead, MintLeads } from '../protocols/adapter.ts'

/** Per chain and family. */
const MOST_AT_HAND = 50_000
/** A node that lags finds nothing either, so a miss expires. */
const NONE_MS = 24 * 60 * 60 * 1000
const ROWS_A_STATEMENT = 1_000

export type StoredLeads = {
  of(chain: string, family: string): MintLeads
  load(chain: string, mints: readonly SolanaAddress[]): Promise<void>
  save(): Promise<void>
}

/** A miss is the time of the search, in ms. */
type Family = {
  chain: string
  family: string
  atHand: BoundedMap<SolanaAddress, MintLead | number>
  unsaved: Map<SolanaAddress, MintLead>
}

/** In memory: no query splits a batch of reads. Misses are not stored. */
export function createStoredLeads(store: ChainStores['mintLeads'], clock: Clock): StoredLeads {
  const families = new Map<string, Family>()
  const loadedAt = new Map<string, BoundedMap<SolanaAddress, number>>()

  function familyOf(chain: string, family: string): Family {
    const key = `${chain} ${family}`
    const known = families.get(key) ?? { chain, family, atHand: new BoundedMap(MOST_AT_HAND), unsaved: new Map() }
    families.set(key, known)
    return known
  }

  function loadedOf(chain: string): BoundedMap<SolanaAddress, number> {
    const known = loadedAt.get(chain) ?? new BoundedMap(MOST_AT_HAND)
    loadedAt.set(chain, known)
    return known
  }

  return {
    of(chain, family) {
      const { atHand, unsaved } = familyOf(chain, family)
      return {
        get(mint) {
          const known = atHand.get(mint)
          if (typeof known !== 'number') return known
          return known + NONE_MS <= clock.now() ? undefined : null
        },
        set(mint, lead) {
          atHand.set(mint, lead ?? clock.now())
          if (lead) unsaved.set(mint, lead)
        },
      }
    },

    async load(chain, mints) {
      const since = clock.now() - NONE_MS
      const loaded = loadedOf(chain)
      const missing = mints.filter((mint) => (loaded.get(mint) ?? Number.NEGATIVE_INFINITY) <= since)
      if (missing.length === 0) return
      for (const [family, rows] of await store.findAmong(chain, missing)) {
        const { atHand } = familyOf(chain, family)
        for (const { address, data = {} } of rows) atHand.set(address, data)
      }
      for (const mint of missing) loaded.set(mint, clock.now())
    },

    async save() {
      const found = [...families.values()].map(({ unsaved, ...of }) => ({ ...of, leads: [...unsaved] }))
      for (const { unsaved } of families.values()) unsaved.clear()
      for (const { chain, family, leads } of found) {
        const rows = leads.map(([address, data]) => {
          return { address, role: 'share', fungible: true, underlyings: [], data }
        })
        for (const page of pagesOf(rows, ROWS_A_STATEMENT)) await store.add(chain, family, page)
      }
    },
  }
}
