type Hex = `0x${string}`

/** `block_time` is null until the approval is first shown. */
export type ApprovalTable = {
  wallet: string
  chain: string
  block: bigint
  log_index: number
  block_hash: Hex
  block_time: Date | null
  hash: Hex
  contract: string
  spender: string
  amount: string
}
