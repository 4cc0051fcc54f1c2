import type { ProtocolItem } from '@coffer/contract'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import { uuidV5 } from '../../lib/uuid.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { byName } from './by-name.ts'

/** Namespace of protocol keys. Never changes: clients store the UUIDs made in it. */
const PROTOCOL_NAMESPACE = 'b5a0a9f4-3f0e-4c1b-9d5c-6f2f6c1f7a31'

/** A protocol of one chain, whatever the number of its deployments there. */
export type ListedProtocol = Pick<NamedProtocol, 'key' | 'name'>

export type ProtocolLists = ReturnType<typeof createProtocolLists>

function groupByChain(rows: readonly NamedProtocol[]): Map<string, ListedProtocol[]> {
  const byChain = Map.groupBy(rows, (row) => row.chain)
  return new Map([...byChain].map(([chain, ofChain]) => [chain, [...firstByKey(ofChain).values()].sort(byName)]))
}

/**
 * The protocols of each chain, in the order in which they are shown. `system` are the rows that ship, `user` those of the
 * configuration. Several rows of one key are one protocol, by its first row's name.
 */
export function createProtocolLists({
  system,
  user,
}: {
  system: readonly NamedProtocol[]
  user: readonly NamedProtocol[]
}) {
  const systemKeys = new Set(system.map((row) => row.key))
  const own = groupByChain(user.filter((row) => !systemKeys.has(row.key)))
  const known = groupByChain([...system, ...user.filter((row) => systemKeys.has(row.key))])
  return {
    system: (chainKey: string): readonly ListedProtocol[] => known.get(chainKey) ?? [],
    /** Those that only the operator's configuration knows; another deployment of a system protocol is not one of them. */
    user: (chainKey: string): readonly ListedProtocol[] => own.get(chainKey) ?? [],
  }
}

export type Page = { page: number; limit: number }

/** One page of a chain's protocols. The operator's come first on page 1, beyond the limit; pages count the others alone. */
export function listProtocols(lists: ProtocolLists, chainKey: string, { page, limit }: Page, icons: IconUrls) {
  const present =
    (isUserProtocol: boolean) =>
    ({ key, name }: ListedProtocol): ProtocolItem => ({
      uuid: uuidV5(PROTOCOL_NAMESPACE, key),
      key,
      name,
      ...icons.protocol(key),
      isUserProtocol,
    })
  const system = lists.system(chainKey)
  const from = (page - 1) * limit
  const user = page === 1 ? lists.user(chainKey) : []
  return {
    data: [...user.map(present(true)), ...system.slice(from, from + limit).map(present(false))],
    pagination: { page, limit, hasMore: from + limit < system.length },
  }
}
