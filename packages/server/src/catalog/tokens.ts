import type { Chain } from '../chains/chain.ts'
import type { ChainTokens, ReadMetadata, Tokens } from '../chains/tokens.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import { createTickBatch } from '../lib/tick-batch.ts'
import type { TokenCatalog } from './token-catalog.ts'
import type { AskedToken, TokenStore } from './token-store.ts'

/** Anyone can create unlisted tokens. */
const MOST_AT_HAND = 20_000
/** Another process may have found a token meanwhile. */
const NO_TOKEN_MS = 60_000
/** The database is not queried again before the chain is asked. */
const ABSENT_MS = 5_000
/** The chain is asked again about a non-token. */
const ASK_AGAIN_MS = 24 * 60 * 60 * 1000

/** No process has asked. */
const NEVER = Number.NEGATIVE_INFINITY

type Dependencies<R> = {
  catalog: TokenCatalog
  store: TokenStore
  readMetadata: ReadMetadata<R>
  clock: Clock
}

export function createTokens<R>(means: Dependencies<R>): Tokens<R> {
  const kept = createKept<ChainTokens<R>>()
  return { of: (chain) => kept.get(chain.key, () => openTokens(means, chain)) }
}

async function openTokens<R>(
  { catalog, store, readMetadata, clock }: Dependencies<R>,
  chain: Chain,
): Promise<ChainTokens<R>> {
  const native: Token = { ...chain.native, chain: chain.key, listed: true }
  const atHand = new BoundedMap<Address, AskedToken & { seenAt: number }>(MOST_AT_HAND)
  const kept = new Map<Address, Token>()
  /** Decimals of a list are only a hint. */
  const checked = new Map<Address, Token>()
  for (const [address, asked] of await store.newest(chain.key, MOST_AT_HAND)) {
    const listed = catalog.find(chain.key, address)
    if (listed) checked.set(address, withDecimalsOf(listed, asked.token))
    else atHand.set(address, { ...asked, seenAt: clock.now() })
  }
  const lookUp = createTickBatch<Address, AskedToken | undefined>(async (addresses) => {
    const found = await store.find(chain.key, addresses)
    return addresses.map((address) => found.get(address))
  })

  const findLasting = (address: Address) =>
    address === native.address
      ? native
      : (checked.get(address) ?? catalog.find(chain.key, address) ?? kept.get(address))

  const find = (address: Address) => findLasting(address) ?? atHand.get(address)?.token ?? undefined

  /** Evicts unused entries first. */
  function isAtHand(address: Address, absentMs: number): boolean {
    const known = atHand.get(address)
    if (!known) return false
    const lasts = known.askedAt === NEVER ? absentMs : NO_TOKEN_MS
    if (known.token === null && known.seenAt + lasts <= clock.now()) return false
    atHand.set(address, known)
    return true
  }

  const unlisted = (addresses: Iterable<Address>) => [...new Set(addresses)].filter((address) => !findLasting(address))

  async function loadMissing(addresses: readonly Address[], absentMs: number): Promise<void> {
    const missing = addresses.filter((address) => !isAtHand(address, absentMs))
    const found = await Promise.all(missing.map(lookUp))
    for (const [i, address] of missing.entries()) {
      atHand.set(address, { ...(found[i] ?? { token: null, askedAt: NEVER }), seenAt: clock.now() })
    }
  }

  const load = (addresses: Iterable<Address>) => loadMissing(unlisted(addresses), 0)

  async function keep(addresses: Iterable<Address>): Promise<void> {
    const wanted = unlisted(addresses)
    await loadMissing(wanted, 0)
    for (const address of wanted) {
      const token = atHand.get(address)?.token
      if (token) kept.set(address, token)
    }
  }

  async function learn(reader: R, addresses: Iterable<Address>): Promise<void> {
    const wanted = unlisted(addresses)
    if (wanted.some((address) => !isAtHand(address, ABSENT_MS))) await loadMissing(wanted, ABSENT_MS)
    const open = wanted.filter((address) => {
      const known = atHand.get(address)
      return !known || (known.token === null && known.askedAt + ASK_AGAIN_MS <= clock.now())
    })
    if (open.length === 0) return
    const found = await readMetadata(reader, chain.key, open)
    const now = clock.now()
    for (const [address, token] of found) atHand.set(address, { token, askedAt: now, seenAt: now })
    await store.save(chain.key, found)
  }

  async function check(reader: R, addresses: Iterable<Address>): Promise<void> {
    const listed = [...new Set(addresses)].flatMap((address) => catalog.find(chain.key, address) ?? [])
    const unchecked = listed.filter(({ address }) => !checked.has(address))
    const stored = await Promise.all(unchecked.map(({ address }) => lookUp(address)))
    const open = unchecked.filter((_, i) => stored[i] === undefined).map(({ address }) => address)
    const asked = open.length > 0 ? await readMetadata(reader, chain.key, open) : new Map<Address, Token | null>()
    await store.save(chain.key, asked)
    for (const [i, token] of unchecked.entries()) {
      checked.set(token.address, withDecimalsOf(token, stored[i]?.token ?? asked.get(token.address) ?? null))
    }
  }

  return { find, isSpam: catalog.isSpam, load, keep, learn, check }
}

const withDecimalsOf = (listed: Token, asked: Token | null): Token =>
  asked ? { ...listed, decimals: asked.decimals } : listed
