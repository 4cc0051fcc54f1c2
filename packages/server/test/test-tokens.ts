import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { LocalNode } from './local-node.ts'

/** Good and bad contracts, readable as opcodes. */
export const codes = {
  /** balanceOf(owner): sload(owner). */
  token: '0x60043554600052602060 00f3'.replace(' ', ''),
  /** As `token`. mint(to, amount) sets the balance of `to` and logs a transfer. Else revert(0, 0). */
  mintable: [
    '0x60003560e01c806340c10f1914602b576370a0823114601e5760006000fd',
    '5b6004355460005260206000f3',
    '5b60243560043555',
    '60243560005260043560007fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300',
  ].join(''),
  /** revert(0, 0) */
  reverting: '0x60006000fd',
  /** Uses up all gas. */
  burning: '0x5b600056',
  /** invalid() */
  invalid: '0xfe',
  silent: '0x00',
  /** 31 bytes. */
  short: '0x601f6000f3',
  /** 64 bytes: the first 32 are the balance. */
  long: '0x60043554600052604060 00f3'.replace(' ', ''),
  /** A megabyte. */
  bomb: '0x621000006000f3',
  /** sstore(0, sload(0) + 1), returns the count. */
  counter: '0x60005460010180600055600052602060 00f3'.replace(' ', ''),
} as const

export type CodeName = keyof typeof codes

/** `family` keeps tests apart on one node. */
export function testAddress(family: number, n: number): EvmAddress {
  return `0x${family.toString(16).padStart(8, 'a')}${n.toString(16).padStart(32, '0')}`
}

export function word(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** For `codes.token` and `codes.long`. */
export function balanceSlot(owner: EvmAddress): `0x${string}` {
  return word(BigInt(owner))
}

export type Placed = { address: EvmAddress; code: CodeName | null; balances?: readonly [EvmAddress, bigint][] }

/** `code` null leaves the address empty. */
export async function placeContracts(node: Pick<LocalNode, 'sendAll'>, contracts: readonly Placed[]): Promise<void> {
  await node.sendAll(
    contracts.flatMap(({ address, code, balances = [] }) => [
      ...(code ? [['anvil_setCode', address, codes[code]] as [string, ...unknown[]]] : []),
      ...balances.map(
        ([owner, raw]) => ['anvil_setStorageAt', address, balanceSlot(owner), word(raw)] as [string, ...unknown[]],
      ),
    ]),
  )
}
