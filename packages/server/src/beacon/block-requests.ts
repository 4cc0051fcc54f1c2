import { bytesOf } from '../lib/hex-bytes.ts'
import {
  type BeaconRequest,
  type Bits,
  type Fields,
  isFields,
  parseAmount,
  parseFields,
  parseHex,
  parseInteger,
  parseList,
} from './beacon-request.ts'

export type BeaconHeader = { root: string; slot: number; proposerIndex: number; parentRoot: string }

export type IncludedAttestation = {
  slot: number
  /** 0 since Electra; see `committeeBits`. */
  committeeIndex: number
  /** Null before Electra. Aggregation bits follow committee by committee. */
  committeeBits: Bits | null
  aggregationBits: Bits
}

type IncludedDeposit = {
  pubkey: string
  withdrawalCredentials: string
  amountGwei: bigint
  /** Null in deposits before Electra. */
  depositIndex: number | null
}

export type ExecutionPayload = { blockHash: string; blockNumber: number; feeRecipient: string }

export type BeaconBlock = {
  slot: number
  proposerIndex: number
  parentRoot: string
  /** Null before Altair. */
  syncCommitteeBits: Bits | null
  attestations: readonly IncludedAttestation[]
  /** As they count: the contract's tree first, then requests of the execution chain. */
  deposits: readonly IncludedDeposit[]
  /** Null before the Merge and since Gloas. */
  executionPayload: ExecutionPayload | null
  /** Since Gloas: the payload is stored elsewhere. */
  hasBid: boolean
}

/** Returns null for an unknown block, which does not prove a missed slot. */
export function headerRequest(block: number | string): BeaconRequest<BeaconHeader | null> {
  return {
    name: 'headers',
    path: `/eth/v1/beacon/headers/${block}`,
    parse({ data }) {
      const outer = parseFields(data, 'header')
      const message = parseFields(parseFields(outer['header'], 'header')['message'], 'header.message')
      return { root: parseHex(outer['root'], 'root', 32), ...parsePlace(message) }
    },
    notFound: () => null,
    past: true,
  }
}

export function beaconBlockRequest(block: number | string): BeaconRequest<BeaconBlock | null> {
  return {
    name: 'blocks',
    path: `/eth/v2/beacon/blocks/${block}`,
    parse: ({ data }) => parseBlock(parseFields(parseFields(data, 'block')['message'], 'block.message')),
    notFound: () => null,
    past: true,
  }
}

function parsePlace(message: Fields) {
  return {
    slot: parseInteger(message['slot'], 'slot'),
    proposerIndex: parseInteger(message['proposer_index'], 'proposer_index'),
    parentRoot: parseHex(message['parent_root'], 'parent_root', 32),
  }
}

function parseBlock(message: Fields): BeaconBlock {
  const body = parseFields(message['body'], 'body')
  const requests = isFields(body['execution_requests']) ? body['execution_requests'] : {}
  const sync = body['sync_aggregate']
  return {
    ...parsePlace(message),
    syncCommitteeBits: isFields(sync)
      ? bytesOf(parseHex(sync['sync_committee_bits'], 'sync_aggregate.sync_committee_bits'))
      : null,
    attestations: parseList(body['attestations'], 'attestations', parseAttestation),
    deposits: [
      ...parseList(body['deposits'], 'deposits', (item, where) =>
        parseDeposit(parseFields(parseFields(item, where)['data'], where), null),
      ),
      ...parseList(requests['deposits'] ?? [], 'execution_requests.deposits', (item, where) => {
        const fields = parseFields(item, where)
        return parseDeposit(fields, parseInteger(fields['index'], 'index'))
      }),
    ],
    executionPayload: parsePayload(body['execution_payload']),
    hasBid: body['signed_execution_payload_bid'] !== undefined,
  }
}

function parseAttestation(value: unknown, where: string): IncludedAttestation {
  const fields = parseFields(value, where)
  const data = parseFields(fields['data'], 'attestation.data')
  const committees = fields['committee_bits']
  return {
    slot: parseInteger(data['slot'], 'attestation.data.slot'),
    committeeIndex: parseInteger(data['index'], 'attestation.data.index'),
    committeeBits: committees === undefined ? null : bytesOf(parseHex(committees, 'committee_bits')),
    aggregationBits: bytesOf(parseHex(fields['aggregation_bits'], 'aggregation_bits')),
  }
}

function parseDeposit(fields: Fields, depositIndex: number | null): IncludedDeposit {
  return {
    pubkey: parseHex(fields['pubkey'], 'deposit.pubkey', 48),
    withdrawalCredentials: parseHex(fields['withdrawal_credentials'], 'deposit.withdrawal_credentials', 32),
    amountGwei: parseAmount(fields['amount'], 'deposit.amount'),
    depositIndex,
  }
}

const NO_HASH = `0x${'0'.repeat(64)}`

function parsePayload(value: unknown): ExecutionPayload | null {
  if (value === undefined) return null
  const fields = parseFields(value, 'execution_payload')
  const blockHash = parseHex(fields['block_hash'], 'block_hash', 32)
  if (blockHash === NO_HASH) return null
  return {
    blockHash,
    blockNumber: parseInteger(fields['block_number'], 'block_number'),
    feeRecipient: parseHex(fields['fee_recipient'], 'fee_recipient', 20),
  }
}
