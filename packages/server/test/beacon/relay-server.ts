import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Data API in the JSON that relays document. */
export type RelayServer = {
  url: string
  /** Builder payments in wei, by block hash. */
  delivered: Map<string, bigint>
  setBroken(broken: boolean): void
  stop(): Promise<void>
}

const PATH = '/relay/v1/data/bidtraces/proposer_payload_delivered'

export async function startRelay(): Promise<RelayServer> {
  const delivered = new Map<string, bigint>()
  let isBroken = false
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const hash = url.searchParams.get('block_hash') ?? ''
    const valueWei = delivered.get(hash)
    response.writeHead(isBroken || url.pathname !== PATH ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(valueWei === undefined ? [] : [bidTrace(hash, valueWei)]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    setBroken(broken) {
      isBroken = broken
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
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
