import { parseAbi } from 'viem'
import { coreLensCode } from './core-lens.bytecode.ts'

/** `core-lens.sol`: what a wallet has on HyperCore. */
export const coreLens = {
  name: 'HyperliquidCoreLens',
  abi: parseAbi([
    'struct Balance { uint64 token; uint64 total; uint64 hold; bool isKnown; address evmContract; int8 extraDecimals; }',
    'struct Lot { address at; uint64 amount; uint64 lockedUntil; }',
    'struct Stake { uint64 undelegated; uint64 pending; Lot[] delegations; }',
    'struct Perp { string coin; int64 size; uint64 entryNotional; int64 isolatedUsd; uint64 markPrice; uint32 leverage; bool isIsolated; uint32 marginTable; uint8 sizeDecimals; }',
    'struct Margin { uint32 dex; int64 value; uint64 used; bool isWhole; bool isKnown; address evmContract; uint8 weiDecimals; int8 extraDecimals; Perp[] perps; }',
    'function balances(address user, uint64 start, uint64 end) view returns (Balance[] found, bool isWhole)',
    'function deposits(address user, address[] vaults, uint64[] tokens) view returns (Stake stake, Lot[] shares, address[] refused, uint64[] lent, uint256 time)',
    'function margins(address user, uint64[] collaterals) view returns (Margin[] found, bool isWhole)',
  ]),
  runtimeCode: coreLensCode.runtime,
} as const
