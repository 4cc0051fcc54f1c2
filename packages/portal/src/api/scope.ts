import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { familyOf, readAddresses, SCOPE_MAX } from '../lib/addresses.ts'
import { t } from '../lib/i18n.ts'
import { useAccount, useV1, v1Query } from './queries.ts'
import type { V1Answer } from './types.ts'

type SavedAddress = V1Answer<'GET', '/v1/addressbook'>['data'][number]
export type Bundle = V1Answer<'GET', '/v1/bundles'>['data'][number]
type VirtualUser = V1Answer<'GET', '/v1/virtual-users'>[number]

/** An account's choices. Lists that it may not see, or that are loading, are empty. */
export type ScopeSources = {
  /** Only addresses that the service can read. */
  saved: readonly SavedAddress[]
  bundles: readonly Bundle[]
  virtualUsers: readonly VirtualUser[]
}

export type Scope = {
  /** At most ten wallets and virtual users, as the service spells them. */
  addresses: readonly string[]
  /** Writes them to the URL and keeps them as the account's last choice; none means all saved addresses. */
  setAddresses: (addresses: readonly string[]) => void
  /** They are the account's last choice and not yet in the URL. */
  isRemembered: boolean
  /** A bundle's name, a label, or a count. */
  label: string
  /** The label in the address book, or a virtual user's own. */
  nameOf: (address: string) => string | undefined
  sources: ScopeSources
  /** The address book, which gives the default, is loading. */
  isPending: boolean
}

const storedAt = (account: string): string => `coffer.scope.${account}`

export function useScope(): Scope {
  const account = useAccount()
  const navigate = useNavigate()
  const { addresses: asked } = useSearch({ strict: false }) as { addresses?: unknown }
  const { sources, isPending } = useScopeSources()
  const given = takenFrom(asked)
  const remembered = given.length > 0 ? [] : takenFrom(localStorage.getItem(storedAt(account.id)))
  const chosen = [...given, ...remembered]
  const isRemembered = remembered.length > 0
  const addresses = chosen.length > 0 ? chosen : defaultOf(sources)
  return {
    addresses,
    setAddresses: (next) => {
      const text = next.join(',')
      if (text === '') localStorage.removeItem(storedAt(account.id))
      else localStorage.setItem(storedAt(account.id), text)
      const search = (old: object) => ({ ...old, addresses: text || undefined })
      void navigate({ to: '.', search: search as never, replace: isRemembered })
    },
    isRemembered,
    label: scopeLabel(addresses, sources),
    nameOf: (address) => nameIn(sources, address),
    sources,
    isPending: isPending && chosen.length === 0,
  }
}

function useScopeSources(): { sources: ScopeSources; isPending: boolean } {
  const book = useV1('/v1/addressbook')
  const bundles = useV1('/v1/bundles')
  const { id, plan } = useAccount()
  const virtualUsers = useQuery({ ...v1Query(id, '/v1/virtual-users'), enabled: plan === 'PRO' })
  return {
    sources: {
      saved: book.data?.data.filter(({ address }) => familyOf(address) !== null) ?? [],
      bundles: bundles.data?.data ?? [],
      virtualUsers: virtualUsers.data ?? [],
    },
    isPending: book.isPending,
  }
}

/** Reads addresses from untrusted text; skips everything else. */
const takenFrom = (text: unknown): string[] =>
  typeof text === 'string' ? readAddresses(text).addresses.slice(0, SCOPE_MAX) : []

/** Default scope: the oldest saved addresses. */
export const defaultOf = ({ saved }: ScopeSources): string[] => saved.slice(0, SCOPE_MAX).map(({ address }) => address)

/** A bundle's readable addresses, as many as one request may name. */
export const membersOf = (bundle: Bundle): string[] =>
  bundle.addresses.filter((address) => familyOf(address) !== null).slice(0, SCOPE_MAX)

function nameIn({ saved, virtualUsers }: ScopeSources, address: string): string | undefined {
  return [...saved, ...virtualUsers].find((one) => one.address === address)?.label || undefined
}

export function scopeLabel(addresses: readonly string[], sources: ScopeSources): string {
  const [first] = addresses
  if (first === undefined) return t('Nothing selected')
  const bundle = sources.bundles.find((one) => isSameSet(membersOf(one), addresses))
  if (bundle) return partly(bundle.name, addresses.length, bundle.addresses.length)
  if (addresses.length === 1) return nameIn(sources, first) ?? first
  if (isSameSet(defaultOf(sources), addresses)) {
    return partly(t('All saved addresses'), addresses.length, sources.saved.length)
  }
  return t('{n, plural, one {# address} other {# addresses}}', { n: addresses.length })
}

/** Adds the shown count if not all is shown. */
export const partly = (name: string, shown: number, all: number): string =>
  shown < all ? t('{name} ({shown} of {all})', { name, shown, all }) : name

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))
