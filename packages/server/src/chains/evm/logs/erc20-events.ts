import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Hex } from '../rpc-values.ts'

/** keccak256('Transfer(address,address,uint256)'), ERC-20 and ERC-721. */
export const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** keccak256('ERC20Transfer(address,address,uint256)') of ERC-404, whose `Transfer` has an NFT id. */
export const UNITS_TRANSFER: Hex = '0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487'
/** keccak256('Approval(address,address,uint256)'), ERC-20 and ERC-721. */
export const APPROVAL: Hex = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'

export function topicOfAddress(address: EvmAddress): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

const PREFIX_DIGITS = 38

export function topicOfPrefix(address: EvmAddress): Hex {
  return `0x${address.slice(2, 2 + PREFIX_DIGITS).padEnd(64, '0')}`
}

/** Wallets may share a prefix. */
export function walletsByTopic(
  wallets: readonly EvmAddress[],
  { prefixes }: { prefixes: boolean },
): ReadonlyMap<Hex, readonly EvmAddress[]> {
  return new Map([...Map.groupBy(wallets, topicOfAddress), ...(prefixes ? Map.groupBy(wallets, topicOfPrefix) : [])])
}
