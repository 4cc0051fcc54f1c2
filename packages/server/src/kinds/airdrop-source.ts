import type { SolanaAddress } from '../domain/solana-address.ts'
import type { Secret } from '../lib/secret.ts'

/** Whose airdrops a program pays, as they are shown. */
export type AirdropProtocol = { key: string; name: string }

/** Claims are not accepted outside this time, whatever the chain allows. Unix seconds. */
export type ClaimWindow = { from?: number; until?: number }

/** What every source says of its airdrop. */
type Airdrop = {
  /** Names the source in settings and in what is incomplete, e.g. `kamino_s3`. */
  key: string
  protocol: AirdropProtocol
  title: string
  /** Program of its distributors. Data about distributors of other programs is not trusted. */
  program: SolanaAddress
  /** The distributed token. Data about another token is not trusted. Absent if a source knows many airdrops. */
  mint?: SolanaAddress
  /** Shown while nothing better is known of the token. */
  token?: { symbol: string; name: string }
  /** A source is not asked once it is over. */
  window?: ClaimWindow
  /** Where to claim; `{distributor}` stands for the distributor's address. */
  link: string
}

/** Path of nested field names in an answer; empty for the answer itself. */
export type FieldPath = readonly string[]

/** An API that tells what a wallet may claim, with the proof of it. URLs have `{owner}`, and `{distributor}` behind a directory. */
export type HttpProofSource = Airdrop & {
  kind: 'http-proof'
  url: string
  /** Where in the answer a list of claims is; absent where it is one claim. */
  list?: FieldPath
  fields: {
    unlocked: FieldPath
    /** Nothing is locked where it is absent. */
    locked?: FieldPath
    /** Siblings from the leaf upwards, each a list of 32 bytes. */
    proof: FieldPath
    mint?: FieldPath
    distributor?: FieldPath
  }
  /** The one distributor of the airdrop, where the answer does not name it. */
  distributor?: SolanaAddress
  /** Lists the distributors to ask `url` about. */
  directory?: { url: string; list: FieldPath; distributor: FieldPath; limit: number }
  /** How the API reports that a wallet has nothing, besides 404: a plain text, or a field that is set. */
  none?: { text?: true; field?: FieldPath }
}

/** The operator's own list: `address,unlocked,locked` in base units, one line per wallet, in the order of the tree. */
export type AllocationSource = Airdrop & {
  kind: 'allocation'
  /** Path of the file. */
  file: string
  distributor: SolanaAddress
  /** The root that the list must have, 64 hex digits; the distributor's is compared whether or not it is given. */
  root?: string
}

export type AirdropSource = HttpProofSource | AllocationSource

/** Sources of airdrops beside the chain. */
export type AirdropSettings = {
  /** Claim APIs: those of the published ones that the operator allows, and those of the file. */
  http: readonly HttpProofSource[]
  /** Lists of the operator; `file` is not read yet. */
  allocations: readonly AllocationSource[]
  /** Base URLs that replace scheme and host in calls to a claim API, by its key. */
  urls: ReadonlyMap<string, Secret>
}
