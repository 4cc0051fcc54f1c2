import type { BlockRange } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { DepositEvent, FoundDeposits } from '../execution-reading.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { EventLog } from './logs/logs.ts'
import { findLogs } from './logs/scan-logs.ts'
import type { Hex } from './rpc-values.ts'

/** `DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index)`. */
const DEPOSIT_EVENT: Hex = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'

export async function findDeposits(pool: RpcPool, contract: EvmAddress, range: BlockRange): Promise<FoundDeposits> {
  const { logs, ...searched } = await findLogs({ pool, filters: [[DEPOSIT_EVENT]], addresses: [contract], ...range })
  // A node that ignores the address filter would add events of any contract.
  return { ...searched, deposits: logs.filter(({ address }) => address === contract).map(parseDeposit) }
}

const WORD_DIGITS = 64
/** In bytes. */
const PARTS = { pubkey: 48, credentials: 32, amount: 8, signature: 96, index: 8 }

/** Little-endian, unlike the EVM. */
const littleEndian = (hex: string) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`)

function parseDeposit({ data, blockNumber, blockTime }: EventLog): DepositEvent {
  const digits = data.slice(2).toLowerCase()
  const [pubkey = '', credentials = '', amount = '', signature = '', index = ''] = Object.values(PARTS).map(
    (bytes, i) => partAt(digits, i, bytes),
  )
  return {
    pubkey: `0x${pubkey}`,
    withdrawalCredentials: `0x${credentials}`,
    amountGwei: littleEndian(amount),
    signature: `0x${signature}`,
    index: littleEndian(index),
    blockNumber,
    blockTime,
  }
}

/** Word `i` is the offset of a length word, then its bytes. */
function partAt(digits: string, i: number, bytes: number): string {
  const word = (at: number) => Number(BigInt(`0x${digits.slice(at, at + WORD_DIGITS) || '0'}`))
  const at = word(i * WORD_DIGITS) * 2
  const part = digits.slice(at + WORD_DIGITS, at + WORD_DIGITS + bytes * 2)
  if (word(at) !== bytes || part.length !== bytes * 2) {
    throw new UpstreamError('invalid', 'expected a deposit of the deposit contract')
  }
  return part
}
