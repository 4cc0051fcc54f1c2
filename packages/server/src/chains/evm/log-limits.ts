import { AnswerTooLong } from '../../lib/http-client.ts'
import type { UpstreamError } from '../../lib/upstream-error.ts'
import { RpcRefusal } from '../rpc/json-rpc.ts'

/** Widths that providers are known to stop at; tried downwards when one refuses without saying what it takes. */
const STEPS = [1_000_000n, 100_000n, 10_000n, 5_000n, 2_000n, 1_000n, 500n, 100n, 50n, 10n, 1n]

/** "Try with this block range [0x1, 0x2]", as providers answer that count results. */
const SUGGESTED_RANGE = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i
/** The limit is on what comes back, so a number in the text counts results, bytes or seconds. */
const ABOUT_RESULTS = /results|response size|body|too many logs|log.*(size|exceed)|timed? ?out|timeout|busy/i
/** "up to a 2K block range", "limited to a 10,000 range", "range is too large, max 1024", "maximum is set to 2048". */
const NAMED_WIDTH =
  /(?:max(?:imum)?|limit(?:ed)?|up to|over|exceeds?|than)\D{0,40}?(?:0\s*-\s*)?(\d[\d,_]*)\s*(k)?(?!\d)|(\d[\d,_]*)\s*(k)?\s*-?\s*blocks?/i

/**
 * How many blocks to ask for instead of `width`, when a node refused that many; undefined when asking for fewer does not
 * help. Providers word it in many ways and change them, so any refusal of more than one block counts as "fewer, please".
 */
export function narrower(error: UpstreamError, width: bigint): bigint | undefined {
  if (width <= 1n) return undefined
  if (error instanceof AnswerTooLong) return width / 2n
  if (error.reason === 'timeout') return width > 8n ? width / 8n : 1n
  if (!(error instanceof RpcRefusal) || error.kind === 'rate-limited' || error.kind === 'unknown-block')
    return undefined
  const hint = hintOf(error)
  if (hint !== undefined && hint > 0n && hint < width) return hint
  if (error.says(ABOUT_RESULTS)) return width / 2n
  return STEPS.find((step) => step < width)
}

function hintOf(error: RpcRefusal): bigint | undefined {
  const range = error.says(SUGGESTED_RANGE)
  if (range?.[1] && range[2]) return BigInt(range[2]) - BigInt(range[1]) + 1n
  if (error.says(ABOUT_RESULTS)) return undefined
  const named = error.says(NAMED_WIDTH)
  const digits = named?.[1] ?? named?.[3]
  if (digits === undefined) return undefined
  return BigInt(digits.replaceAll(/[,_]/g, '')) * (named?.[2] || named?.[4] ? 1_000n : 1n)
}
