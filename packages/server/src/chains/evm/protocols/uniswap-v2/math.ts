/** `feeOn`: the factory takes its share of the growth. */
export type PairState = {
  balance0: bigint
  balance1: bigint
  reserve0: bigint
  reserve1: bigint
  totalSupply: bigint
  kLast: bigint
  feeOn: boolean
}

/**
 * Mints `supply · (rootK − rootKLast) · factor ÷ (rootK · perRootK + rootKLast · perRootKLast)`. Uniswap: 1, 5, 1 (one
 * sixth).
 */
export type ProtocolFee = { factor: bigint; perRootK: bigint; perRootKLast: bigint }

export const UNISWAP_FEE: ProtocolFee = { factor: 1n, perRootK: 5n, perRootKLast: 1n }

/** Exact result of `burn`: the protocol's share is minted first. Below one unit of either side `burn` reverts. */
export function burn(liquidity: bigint, pair: PairState, fee: ProtocolFee): [bigint, bigint] {
  const supply = pair.totalSupply + protocolShare(pair, fee)
  if (supply === 0n) return [0n, 0n]
  const amounts: [bigint, bigint] = [(liquidity * pair.balance0) / supply, (liquidity * pair.balance1) / supply]
  return amounts.includes(0n) ? [0n, 0n] : amounts
}

function protocolShare({ reserve0, reserve1, totalSupply, kLast, feeOn }: PairState, fee: ProtocolFee): bigint {
  if (!feeOn || kLast === 0n) return 0n
  const rootK = squareRoot(reserve0 * reserve1)
  const rootKLast = squareRoot(kLast)
  if (rootK <= rootKLast) return 0n
  const share = totalSupply * (rootK - rootKLast) * fee.factor
  return share / (rootK * fee.perRootK + rootKLast * fee.perRootKLast)
}

/** Rounds down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
