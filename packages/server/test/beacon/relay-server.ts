import { type LocalServer, serveLocally } from '../local-server.ts'

/** Data API in the JSON that relays document. */
export type RelayServer = LocalServer & {
  /** Builder payments in wei, by block hash. */
  delivered: Map<string, bigint>
  setBroken(broken: boolean): void
}

const PATH = '/relay/v1/data/bidtraces/proposer_payload_delivered'

export async function startRelay(): Promise<RelayServer> {
  const delivered = new Map<string, bigint>()
  let isBroken = false
  const server = await serveLocally((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const hash = url.searchParams.get('block_hash') ?? ''
    const valueWei = delivered.get(hash)
    response.writeHead(isBroken || url.pathname !== PATH ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(valueWei === undefined ? [] : [bidTrace(hash, valueWei)]))
  })
  return {
    ...server,
    delivered,
    setBroken(broken) {
      isBroken = broken
    },
  }
}

function bidTrace(blockHash: string, valueWei: bigint): Record<string, string> {
  return {
    slot: '1',
    parent_hash: `0x${'11'.repeat(32)}`,
    block_hash: blockHash,
    builder_pubkey: `0x${'ab'.repeat(48)}`,
    proposer_pubkey: `0x${'cd'.repeat(48)}`,
    proposer_fee_recipient: `0x${'ef'.repeat(20)}`,
    gas_limit: '60000000',
    gas_used: '21000',
    value: String(valueWei),
    num_tx: '1',
    block_number: '1',
  }
}
