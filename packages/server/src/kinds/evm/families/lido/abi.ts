import { parseAbi } from 'viem'

/** wstETH: what a wrapped amount is in stETH. */
export const wstEthAbi = parseAbi(['function getStETHByWstETH(uint256 wstETHAmount) view returns (uint256)'])
