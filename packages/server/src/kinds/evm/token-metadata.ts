import { hexToBytes, parseAbi } from 'viem'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Token } from '../../domain/token.ts'
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH } from '../../domain/token-text.ts'
import type { EvmReader } from './reader/evm-reader.ts'

const text = parseAbi(['function symbol() view returns (string)', 'function name() view returns (string)'])
/** Tokens older than the standard answer with 32 bytes. */
const bytes = parseAbi(['function symbol() view returns (bytes32)', 'function name() view returns (bytes32)'])
/** Read as uint256: some contracts answer with more than the eight bits of the standard. */
const decimals = parseAbi(['function decimals() view returns (uint256)'])

/** A contract with more is no token: a million units of it must fit 256 bits with room for any rate. */
const MAX_DECIMALS = 36n

function decodeBytes(value: `0x${string}`): string {
  const padded = hexToBytes(value)
  const end = padded.indexOf(0)
  return new TextDecoder().decode(end === -1 ? padded : padded.subarray(0, end))
}

/** Both shapes cost one call: the reader deduplicates equal calls. */
async function readText(reader: EvmReader, address: EvmAddress, functionName: 'symbol' | 'name'): Promise<string> {
  const [long, short] = await Promise.all([
    reader.tryRead({ address, abi: text, functionName }),
    reader.tryRead({ address, abi: bytes, functionName }),
  ])
  return long ?? (short === undefined ? '' : decodeBytes(short))
}

async function readToken(reader: EvmReader, address: EvmAddress): Promise<Token | null> {
  const [digits, symbolText, nameText] = await Promise.all([
    reader.tryRead({ address, abi: decimals, functionName: 'decimals' }),
    readText(reader, address, 'symbol'),
    readText(reader, address, 'name'),
  ])
  if (digits === undefined || digits > MAX_DECIMALS) return null
  const symbol = cleanText(symbolText, SYMBOL_LENGTH)
  const name = cleanText(nameText, NAME_LENGTH)
  if (symbol === '') return null
  return { chain: reader.chain, address, symbol, name: name || symbol, decimals: Number(digits), listed: false }
}

/**
 * Metadata as the contracts report it, unlisted and untrusted: text is cut and stripped of invisible characters. `null`
 * for a contract that is no countable token: no symbol, no decimals, or more than 36. One wave of reads for all; a node
 * failure rejects.
 */
export async function readTokenMetadata(
  reader: EvmReader,
  addresses: Iterable<EvmAddress>,
): Promise<Map<EvmAddress, Token | null>> {
  const unique = [...new Set(addresses)]
  return new Map(await Promise.all(unique.map(async (address) => [address, await readToken(reader, address)] as const)))
}
