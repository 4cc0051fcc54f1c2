import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { type Chain, facesOf } from '../../chain.ts'
import type { ListedTokens } from '../../tokens.ts'
import {
  isVouched,
  type KnownDeployment,
  type ProtocolContract,
  type ProtocolDeployment,
} from '../protocols/adapter.ts'
import { type Owners, ownersOf } from './receipt-directory.ts'

type Scanned = { rows: readonly KnownDeployment[]; owners: Owners; addresses: readonly EvmAddress[] }

/** `own`: addresses of this wallet beyond `common`. */
export type WalletRows = Omit<Scanned, 'addresses'> & { common: readonly EvmAddress[]; own: EvmAddress[] }

type Common = Scanned & {
  all: readonly KnownDeployment[]
  asked: readonly EvmAddress[]
  isAsked: ReadonlySet<Address>
}

/** `common` stays the same array until contracts change: wallets read together send it once. */
export class ScannedRows {
  readonly #listed: ListedTokens
  readonly #kept = new Map<string, Common>()

  constructor(listed: ListedTokens) {
    this.#listed = listed
  }

  of(chain: Chain, all: readonly KnownDeployment[], discovered: readonly EvmAddress[]): WalletRows {
    const common = this.#commonOf(chain, all)
    const sent = new Set<Address>(discovered)
    const more = countsMore(all, sent) ? scannedRows(all.map((row) => withSent(row, sent))) : undefined
    const { rows, owners } = more ?? common
    const own = [...askable(chain, [...(more?.addresses ?? []), ...discovered])]
    return { rows, owners, common: common.asked, own: own.filter((address) => !common.isAsked.has(address)) }
  }

  #commonOf(chain: Chain, all: readonly KnownDeployment[]): Common {
    const known = this.#kept.get(chain.key)
    if (known && isSame(known.all, all)) return known
    const scanned = scannedRows(all.map((row) => withSent(row, NONE)))
    const listed = this.#listed.list(chain.key).map(({ address }) => address)
    const isAsked = askable(chain, [...listed, ...scanned.addresses])
    const common = { ...scanned, all, asked: [...isAsked], isAsked }
    this.#kept.set(chain.key, common)
    return common
  }
}

const NONE: ReadonlySet<Address> = new Set()

function askable(chain: Chain, addresses: readonly Address[]): Set<EvmAddress> {
  const unique = new Set(addresses)
  for (const address of [NATIVE, ...facesOf(chain)]) unique.delete(address)
  return unique as Set<EvmAddress>
}

function isSame(one: readonly KnownDeployment[], other: readonly KnownDeployment[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ deployment, protocolContracts }, i) =>
        other[i]?.deployment === deployment && other[i]?.protocolContracts === protocolContracts,
    )
  )
}

function scannedRows(rows: readonly KnownDeployment[]): Scanned {
  const owners = ownersOf(rows)
  const addresses = [...owners].flatMap(([address, { deployment }]) =>
    deployment.adapter.probedOnly ? [] : [address as EvmAddress],
  )
  return { rows: rows.map((row) => withOwn(row, owners)), owners, addresses }
}

function countsMore(all: readonly KnownDeployment[], sent: ReadonlySet<Address>): boolean {
  const counts = (deployment: ProtocolDeployment, protocolContract: ProtocolContract) =>
    sent.has(protocolContract.address) && !isVouched(deployment, protocolContract)
  return all.some(
    ({ deployment, protocolContracts }) =>
      deployment.adapter.countsWhereSent && protocolContracts?.some((one) => counts(deployment, one)),
  )
}

function withSent({ deployment, protocolContracts }: KnownDeployment, sent: ReadonlySet<Address>): KnownDeployment {
  if (!deployment.adapter.countsWhereSent) return { deployment, protocolContracts }
  const own = protocolContracts?.filter(
    (protocolContract) => isVouched(deployment, protocolContract) || sent.has(protocolContract.address),
  )
  return { deployment, protocolContracts: own }
}

function withOwn({ deployment, protocolContracts }: KnownDeployment, owners: Owners): KnownDeployment {
  return {
    deployment,
    protocolContracts: protocolContracts?.filter(({ address }) => owners.get(address)?.deployment === deployment),
  }
}
