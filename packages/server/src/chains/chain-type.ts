import { type Addresses, type AddressFamily, createAddresses, savedAddresses } from '@coffer/contract'
import type { z } from 'zod'
import type { Address } from '../domain/address.ts'
import type { NamedProtocol } from '../domain/named-protocol.ts'
import type { Clock } from '../lib/clock.ts'
import type { SourceFacts } from '../prices/source-module.ts'
import type { AirdropSource, HttpProofSource } from './airdrops.ts'
import type { Chain, OwnChain } from './chain.ts'
import type { ChainMeans, ChainReading } from './chain-reading.ts'
import type { ChainProof, RpcPool, RpcPoolOptions } from './rpc/rpc-pool.ts'

type Named = { key: string; name: string }

type TransactionNames = {
  readonly bridges: readonly Named[]
  /** Loaded on first use. */
  labelled(): readonly Named[]
  functionName(selector: string): string | null
  selectorsNamed(part: string): `0x${string}`[]
}

export type ChainTypeSection = 'protocols' | 'bridges' | 'priceFeeds' | 'blockscoutUrls'

export type ChainType = {
  /** Value of `Chain.family`. */
  readonly name: string
  readonly chains: readonly Chain[]
  readonly ownChain?: (row: OwnChain) => Chain
  readonly sections: readonly ChainTypeSection[]
  /** `pattern` without anchors. */
  readonly addressForm: { readonly pattern: string; readonly described: string }
  readonly addresses: AddressFamily
  ownsAddress(wallet: Address): boolean
  spell(address: string): Address
  readonly poolOptions: Partial<RpcPoolOptions>
  /** `recallGenesis`: the known first hash, or `shown` from then on. */
  proofOf(chain: Chain, recallGenesis: (shown: string) => Promise<string>): ChainProof
  /** Null: no answer. Rejects with `UpstreamError` if the newest block cannot be read. */
  examine(
    pool: RpcPool,
    clock: Clock,
  ): Promise<Readonly<Record<string, string | number | boolean | null>> & { lagSeconds: number | null }>
  readonly verifyOwner?: VerifyOwner
  readonly signIn?: SignInForm
  readonly protocols: readonly NamedProtocol[]
  readonly protocolAdapters: ReadonlyMap<string, { readonly deployment: z.ZodType }>
  readonly names?: TransactionNames
  readonly airdrops?: {
    readonly chain: string
    /** Used only if the operator names them. */
    readonly sources: readonly HttpProofSource[]
    readonly row: z.ZodType<AirdropSource>
  }
  open(means: ChainMeans): ChainReading
  readonly priceSources: readonly SourceFacts[]
}

export type ChainTypes = {
  readonly list: readonly ChainType[]
  /** Also addresses that can only be saved. */
  readonly addresses: Addresses
  of(chain: Chain): ChainType
  ofWallet(wallet: Address): ChainType | undefined
  spell(address: string): Address | undefined
  readonly chains: readonly Chain[]
  readonly protocols: readonly NamedProtocol[]
  readonly protocolAdapters: ChainType['protocolAdapters']
  readonly names: TransactionNames
  /** Sources that leave the node come last. */
  readonly priceSources: readonly SourceFacts[]
}

export function createChainTypes(chainTypes: readonly ChainType[]): ChainTypes {
  const names = chainTypes.flatMap((chainType) => chainType.names ?? [])
  const ofWallet = (wallet: Address) => chainTypes.find(({ ownsAddress }) => ownsAddress(wallet))
  const sources = new Map(chainTypes.flatMap(({ priceSources }) => priceSources.map((source) => [source.name, source])))
  return {
    list: chainTypes,
    addresses: createAddresses([...chainTypes.map(({ addresses }) => addresses), ...savedAddresses]),
    chains: chainTypes.flatMap(({ chains }) => chains),
    protocols: chainTypes.flatMap(({ protocols }) => protocols),
    protocolAdapters: new Map(chainTypes.flatMap(({ protocolAdapters }) => [...protocolAdapters])),
    names: {
      bridges: names.flatMap(({ bridges }) => bridges),
      labelled: () => names.flatMap(({ labelled }) => labelled()),
      functionName: (selector) =>
        names.map(({ functionName }) => functionName(selector)).find((name) => name !== null) ?? null,
      selectorsNamed: (part) => names.flatMap(({ selectorsNamed }) => selectorsNamed(part)),
    },
    priceSources: [...sources.values()].toSorted((a, b) => Number(a.leavesNode) - Number(b.leavesNode)),
    of({ key, family }) {
      const chainType = chainTypes.find(({ name }) => name === family)
      if (!chainType) throw new Error(`${key} has the unknown chain type ${family}`)
      return chainType
    },
    ofWallet,
    spell: (address) => ofWallet(address)?.spell(address),
  }
}

export type SignedText = { address: Address; text: string; signature: string }

/** `chain`: of the contract that agreed, null for a key. `unasked`: chains without an answer. */
export type Verdict = { isValid: true; chain: string | null } | { isValid: false; unasked: readonly string[] }

/** Opens `pools` only if a contract must be asked. A malleated signature is not valid. */
export type VerifyOwner = (signed: SignedText, pools: () => ReadonlyMap<string, RpcPool>) => Promise<Verdict>

export const keyVerdict = (isValid: boolean): Verdict => (isValid ? { isValid, chain: null } : { isValid, unasked: [] })

type SignInForm = { network: string; chainId: string; spell(address: Address): string }
