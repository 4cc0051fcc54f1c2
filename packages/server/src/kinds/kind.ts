import { type Addresses, type AddressFamily, createAddresses, savedAddresses } from '@coffer/contract'
import type { z } from 'zod'
import type { Address } from '../domain/address.ts'
import type { NamedProtocol } from '../domain/named-protocol.ts'
import type { Clock } from '../lib/clock.ts'
import type { SourceFacts } from '../prices/source-module.ts'
import type { AirdropSource, HttpProofSource } from './airdrop-source.ts'
import type { Chain } from './chain.ts'
import type { KindMeans, KindReading } from './kind-reading.ts'
import type { OwnChain } from './own-chain.ts'
import type { SignInForm, VerifyOwner } from './owner-signature.ts'
import type { ChainProof } from './rpc/endpoint-proofs.ts'
import type { RpcPool, RpcPoolOptions } from './rpc/rpc-pool.ts'

/** What an endpoint offers, by name; null: it did not answer. `lagSeconds`: age of its newest block. */
type EndpointFacts = Readonly<Record<string, string | number | boolean | null>> & { lagSeconds: number | null }

/** A protocol or a way between chains, by the key that transactions carry. */
type Named = Pick<NamedProtocol, 'key' | 'name'>

/** Names of what transactions call. */
type TransactionNames = {
  readonly bridges: readonly Named[]
  /** Of contracts that no family reads; loaded on first use. */
  labelled(): readonly Named[]
  /** Null for a selector that is not known. */
  functionName(selector: string): string | null
  /** Selectors of functions whose name has this in it. */
  selectorsNamed(part: string): `0x${string}`[]
}

/** How addresses are written in the configuration and in commands. */
type AddressForm = {
  /** A regular expression of one whole address, without anchors. */
  readonly pattern: string
  /** What an address must be, e.g. `0x and 40 hex digits`. */
  readonly described: string
}

/** What the configuration knows of a kind's airdrops. */
type KindAirdrops = {
  /** Key of the chain that they are on. */
  readonly chain: string
  /** Sources that ship; one is asked only where the operator names it. */
  readonly sources: readonly HttpProofSource[]
  /** A source of the operator. */
  readonly row: z.ZodType<AirdropSource>
}

/** Sections of the configuration whose rows name a chain of one of the kinds that take them. */
export type KindSection = 'protocols' | 'bridges' | 'priceFeeds' | 'blockscoutUrls'

/** What a kind of chain can do, and what it cannot. Each kind is a folder with one of these. */
export type ChainKind = {
  /** Names the kind in the rows of chains. */
  readonly name: string
  /** The chains that ship. */
  readonly chains: readonly Chain[]
  /** A chain of the operator; absent where its chains cannot be added by configuration. */
  readonly ownChain?: (row: OwnChain) => Chain
  /** Sections of the configuration that its chains may have rows in. */
  readonly sections: readonly KindSection[]
  readonly addressForm: AddressForm
  /** How callers write its addresses, and which routes take them. Its name is that of the kind. */
  readonly addresses: AddressFamily
  /** Whether wallets of this kind have such an address. */
  ownsAddress(wallet: Address): boolean
  /** An address from a row of the configuration, spelled as the chain's tokens are. */
  spell(address: string): Address
  /** How its nodes are asked. */
  readonly poolOptions: Pick<RpcPoolOptions, 'parseJson' | 'batchSize'>
  /**
   * How an endpoint proves its chain. `recallGenesis` answers the hash of the first block that is believed: the known one, or
   * the shown one from then on.
   */
  proofOf(chain: Chain, recallGenesis: (shown: string) => Promise<string>): ChainProof
  /** Asks the only endpoint of a pool what it offers. Rejects with `UpstreamError` if its newest block cannot be read. */
  examine(pool: RpcPool, clock: Clock): Promise<EndpointFacts>
  /** Absent where signatures of owners cannot be checked. */
  readonly verifyOwner?: VerifyOwner
  /** How its wallets sign in to a site; absent where they cannot. */
  readonly signIn?: SignInForm
  /** The protocols that ship, a row a protocol and chain. */
  readonly protocols: readonly NamedProtocol[]
  /** Families that rows of the configuration may name, with the shape of their deployments. */
  readonly families: ReadonlyMap<string, { readonly deployment: z.ZodType }>
  /** Names that its transactions have beside those of protocols; absent where there are none. */
  readonly names?: TransactionNames
  /** Absent where there are none. */
  readonly airdrops?: KindAirdrops
  /** Opens its enabled chains for reading. */
  open(means: KindMeans): KindReading
  /** Sources of prices of its tokens, in the order in which they are asked unless the operator names another. */
  readonly priceSources: readonly SourceFacts[]
}

/** The kinds of chains of a service. */
export type ChainKinds = {
  readonly list: readonly ChainKind[]
  /** What callers may name: addresses of these kinds, and those that can be saved though nothing reads them. */
  readonly addresses: Addresses
  /** Throws for a kind that is not there. */
  of(chain: Pick<Chain, 'key' | 'family'>): ChainKind
  /** Undefined for a wallet of no kind that is there. */
  ofWallet(wallet: Address): ChainKind | undefined
  /** An address of any kind, spelled as the tokens of its chains are; undefined for an address of none. */
  spell(address: string): Address | undefined
  /** Those of all kinds. */
  readonly chains: readonly Chain[]
  readonly protocols: readonly NamedProtocol[]
  readonly families: ChainKind['families']
  readonly names: TransactionNames
  /** Those of all kinds, each once; those that leave the node come last. */
  readonly priceSources: readonly SourceFacts[]
}

export function createChainKinds(kinds: readonly ChainKind[]): ChainKinds {
  const names = kinds.flatMap((kind) => kind.names ?? [])
  const ofWallet = (wallet: Address) => kinds.find(({ ownsAddress }) => ownsAddress(wallet))
  const sources = new Map(kinds.flatMap(({ priceSources }) => priceSources.map((source) => [source.name, source])))
  return {
    list: kinds,
    addresses: createAddresses([...kinds.map(({ addresses }) => addresses), ...savedAddresses]),
    chains: kinds.flatMap(({ chains }) => chains),
    protocols: kinds.flatMap(({ protocols }) => protocols),
    families: new Map(kinds.flatMap(({ families }) => [...families])),
    names: {
      bridges: names.flatMap(({ bridges }) => bridges),
      labelled: () => names.flatMap(({ labelled }) => labelled()),
      functionName: (selector) =>
        names.map(({ functionName }) => functionName(selector)).find((name) => name !== null) ?? null,
      selectorsNamed: (part) => names.flatMap(({ selectorsNamed }) => selectorsNamed(part)),
    },
    priceSources: [...sources.values()].toSorted((a, b) => Number(a.leavesNode) - Number(b.leavesNode)),
    of({ key, family }) {
      const kind = kinds.find(({ name }) => name === family)
      if (!kind) throw new Error(`${key} is of the kind ${family}, which is not there`)
      return kind
    },
    ofWallet,
    spell: (address) => ofWallet(address)?.spell(address),
  }
}
