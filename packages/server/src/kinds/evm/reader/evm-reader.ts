import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'

/** The block a reader is pinned to. `hash` is null until the node was asked for it. */
export type BlockHeader = { number: bigint; timestamp: number; parentHash: `0x${string}`; hash: `0x${string}` | null }

/** What a packed scan found. A token that is in neither collection has a balance of zero. */
export type Scan = {
  nativeRaw: bigint
  /** Non-zero balances, in base units. */
  balances: ReadonlyMap<EvmAddress, bigint>
  /** Tokens whose `balanceOf` failed or burnt its gas: unknown, never zero. */
  failed: ReadonlySet<EvmAddress>
}

type View = 'view' | 'pure' | 'nonpayable'

/** One contract read; `functionName` may be state-changing (`borrowBalanceCurrent`): it runs as a call, nothing is sent. */
type Read<abi extends Abi, name extends ContractFunctionName<abi, View>> = {
  address: EvmAddress
  abi: abi
  functionName: name
  args?: ContractFunctionArgs<abi, View, name>
}

/** A view contract of Coffer that is not deployed: its runtime code travels with the call. */
export type Lens<abi extends Abi> = { name: string; abi: abi; runtimeCode: `0x${string}` }

/**
 * A read in its packed form, as it is stored for the wallet's next refresh. `lens` names the code for calls to a lens;
 * `changesState` marks calls of functions that are neither `view` nor `pure`.
 */
export type PlannedCall = {
  to: EvmAddress
  data: `0x${string}`
  lens?: string
  changesState?: true
  standIn?: { at: EvmAddress; lens: string }
  /** The call is made about each token that the wallet turns out to have, with token and wallet put in at these bytes. */
  held?: { tokenAt: number; ownerAt: number }
}

/** A lens whose code replaces that of an address during a call, so that calls come from there. */
export type StandIn = { at: EvmAddress; lens: Lens<Abi> }

/**
 * Reads one chain as it stood at one block. The first wave pins the block; all reads, scans and lens calls issued in the
 * same tick leave as one `eth_call`. A revert rejects with `ContractRevert`, a node's failure with `UpstreamError`.
 */
export type EvmReader = {
  readonly chain: string
  /** Rejects with `OtherBlock` if the node ran a later wave on another block, also where a source of prices was the one to fail. */
  header(): Promise<BlockHeader>
  /** The native balance, and those of the tokens of all lists. A list that several scans name travels once. */
  scan(owner: EvmAddress, ...lists: readonly (readonly EvmAddress[])[]): Promise<Scan>
  read<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    read: Read<abi, name>,
  ): Promise<ContractFunctionReturnType<abi, View, name>>
  /** As `read`, but a revert (or no contract there) is `undefined`. A node's failure still rejects. */
  tryRead<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    read: Read<abi, name>,
  ): Promise<ContractFunctionReturnType<abi, View, name> | undefined>
  /** `standIn` applies only where the node accepts code overrides; the lens must work without it. */
  lens<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    lens: Lens<abi>,
    read: Omit<Read<abi, name>, 'address' | 'abi'>,
    standIn?: StandIn,
  ): Promise<ContractFunctionReturnType<abi, View, name>>
  /** The tokens about which a planned call for what the wallet holds is made, in the wave of the scan that finds them. */
  expectHeld(among: ReadonlySet<EvmAddress>): void
  /**
   * As `lens`, of one token that a scan found its owner to have: the next reader of the wallet plans one such call for whatever
   * it holds. `undefined` for other tokens, and for those of an owner who has too many: nothing is asked then.
   */
  heldLens<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    lens: Lens<abi>,
    read: (token: EvmAddress, owner: EvmAddress) => Omit<Read<abi, name>, 'address' | 'abi'>,
  ): (token: EvmAddress, owner: EvmAddress) => Promise<ContractFunctionReturnType<abi, View, name>> | undefined
  /** Sends a read with the next wave before it is known whether it is needed. `plan` names it only once it is made. */
  foresee<const abi extends Abi, name extends ContractFunctionName<abi, View>>(read: Read<abi, name>): void
  /**
   * The reads made after the first wave. The next reader of the same wallet sends them with its first wave, which saves
   * a round trip. Plain JSON.
   */
  plan(): PlannedCall[]
}

/** The contract refused the call. This is not a node failure: the call fails the same way at every node. */
export class ContractRevert extends Error {
  override readonly name = 'ContractRevert'

  constructor(message: string) {
    // A revert is an answer, and its stack cost a tenth of the CPU of asking 1,000 contracts what they are.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
  }
}
