type Hex = `0x${string}`

export interface ApprovalTables {
  approval: {
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
}
