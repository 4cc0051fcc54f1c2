import { hexToBytes, parseAbi } from 'viem'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Token } from '../../domain/token.ts'
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH } from '../../domain/token-text.ts'
import type { EvmReader } from './reader/evm-reader.ts'

const text = parseAbi(['function symbol() view returns (string)', 'function name() view returns (string)'])
/** Tokens older than the standard answer with 32 bytes. */
const bytes = parseAbi(['function symbol() view returns (bytes32)', 'function name() view returns (bytes32)'])
/** Some contracts answer with more than the standard's eight bits. */
const decimals = parseAbi(['function decimals() view returns (uint256)'])

/** A million units must fit 256 bits with room for any rate. */
const MAX_DECIMALS = 36n

function decodeBytes(value: `0x${string}`): string {
  const padded = hexToBytes(value)
  const end = padded.indexOf(0)
  return new TextDecoder().decode(end === -1 ? padded : padded.subarray(0, end))
}

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

/** Untrusted text is cut and cleaned. Null without symbol or decimals. Rejects on a node failure. */
export async function readTokenMetadata(
  reader: EvmReader,
  addresses: Iterable<EvmAddress>,
): Promise<Map<EvmAddress, Token | null>> {
  const unique = [...new Set(addresses)]
  return new Map(await Promise.all(unique.map(async (address) => [address, await readToken(reader, address)] as const)))
}
