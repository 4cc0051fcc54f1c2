import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'

/** `hash`: null until asked for. */
export type BlockHeader = { number: bigint; timestamp: number; parentHash: `0x${string}`; hash: `0x${string}` | null }

/** A token in neither collection has a balance of zero. */
export type Scan = {
  nativeRaw: bigint
  /** Non-zero, in base units. */
  balances: ReadonlyMap<EvmAddress, bigint>
  /** `balanceOf` failed or burnt its gas: unknown, never zero. */
  failed: ReadonlySet<EvmAddress>
}

type View = 'view' | 'pure' | 'nonpayable'

/** State-changing functions run as a call. */
type Read<abi extends Abi, name extends ContractFunctionName<abi, View>> = {
  address: EvmAddress
  abi: abi
  functionName: name
  args?: ContractFunctionArgs<abi, View, name>
}

/** A view contract that is not deployed: its code travels with the call. */
export type Lens<abi extends Abi> = { name: string; abi: abi; runtimeCode: `0x${string}` }

/** A packed read, stored for the wallet's next refresh. */
export type PlannedCall = {
  to: EvmAddress
  data: `0x${string}`
  lens?: string
  changesState?: true
  standIn?: { at: EvmAddress; lens: EvmAddress }
  /** The call is made for each token that the wallet holds; byte offsets. */
  held?: { tokenAt: number; ownerAt: number }
}

/** Replaces the code of `at` during a call. */
export type StandIn = { at: EvmAddress; lens: Lens<Abi> }

/**
 * One chain at one block, pinned by the first batch. Reads of one tick share an `eth_call`. A revert rejects with
 * `ContractRevert`, a node failure with `UpstreamError`.
 */
export type EvmReader = {
  readonly chain: string
  /** Rejects with `OtherBlock` if a node ran a later batch on another block. */
  header(): Promise<BlockHeader>
  scan(owner: EvmAddress, ...lists: readonly (readonly EvmAddress[])[]): Promise<Scan>
  read<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    read: Read<abi, name>,
  ): Promise<ContractFunctionReturnType<abi, View, name>>
  /** A revert, or no contract, is `undefined`. A node failure still rejects. */
  tryRead<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    read: Read<abi, name>,
  ): Promise<ContractFunctionReturnType<abi, View, name> | undefined>
  /** `standIn` needs a node with code overrides; the lens must work without it. */
  lens<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    lens: Lens<abi>,
    read: Omit<Read<abi, name>, 'address' | 'abi'>,
    standIn?: StandIn,
  ): Promise<ContractFunctionReturnType<abi, View, name>>
  /** Tokens of planned `heldLens` calls. */
  expectHeld(among: ReadonlySet<EvmAddress>): void
  /** Planned for the wallet's next read. `undefined` for a token not found, or an owner with too many. */
  heldLens<const abi extends Abi, name extends ContractFunctionName<abi, View>>(
    lens: Lens<abi>,
    read: (token: EvmAddress, owner: EvmAddress) => Omit<Read<abi, name>, 'address' | 'abi'>,
  ): (token: EvmAddress, owner: EvmAddress) => Promise<ContractFunctionReturnType<abi, View, name>> | undefined
  /** Sent with the next batch. `plan` omits unread ones. */
  foresee<const abi extends Abi, name extends ContractFunctionName<abi, View>>(read: Read<abi, name>): void
  /** Reads after the first batch, as JSON, for the next reader's first batch. */
  plan(): PlannedCall[]
}

/** Shares batches with the other announced readers of its chain and block. */
export type AnnouncedReader = {
  /** The first reads must follow in the same turn of the event loop. */
  open(plan: readonly PlannedCall[]): EvmReader
  leave(): void
  wasShared(): boolean
}

/** Not a node failure: it is the same at every node. */
export class ContractRevert extends Error {
  override readonly name = 'ContractRevert'

  constructor(message: string) {
    // Stacks cost a tenth of the CPU of asking 1,000 contracts.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
  }
}
