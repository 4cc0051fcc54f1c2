import solc from 'solc'
import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { vi } from 'vitest'
import { HANGS_MS } from './hangs.ts'
import type { LocalNode } from './local-node.ts'

/** Includes contracts that answer ERC-1271 in other ways. */
const SOURCE = `
contract Wallet {
  address immutable owner;
  constructor(address of_) { owner = of_; }
  function isValidSignature(bytes32 hash, bytes calldata sig) external view returns (bytes4) {
    require(sig.length == 65, "length");
    address signer = ecrecover(hash, uint8(sig[64]), bytes32(sig[0:32]), bytes32(sig[32:64]));
    return signer == owner && signer != address(0) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }
}
contract SaysOne { fallback(bytes calldata) external returns (bytes memory) { return abi.encode(uint256(1)); } }
contract SaysMore { fallback(bytes calldata) external returns (bytes memory) { return abi.encode(bytes4(0x1626ba7e), uint256(1)); } }
contract SaysDirty { fallback(bytes calldata) external returns (bytes memory) { return abi.encode(uint256(bytes32(bytes4(0x1626ba7e))) + 1); } }
contract SaysShort { fallback(bytes calldata) external returns (bytes memory) { return hex"1626ba7e"; } }
contract SaysNothing { fallback() external {} }
contract Reverts { fallback() external { revert("1626ba7e"); } }
contract Burns { fallback() external { while (true) {} } }
contract Agrees { fallback(bytes calldata) external returns (bytes memory) { return abi.encode(bytes4(0x1626ba7e)); } }
contract Breaks { fallback() external { assembly { invalid() } } }
`

type Output = { contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>> }

/** `Wallet` takes its owner after the code. */
export function compileContractWallets(): Record<string, Hex> {
  const settings = { evmVersion: 'cancun', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
  const sources = { 'wallets.sol': { content: SOURCE } }
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as Output
  const compiled = Object.entries(output.contracts['wallets.sol'] ?? {})
  return Object.fromEntries(compiled.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]))
}

export const walletOf = (owner: Address, code: Hex | undefined): Hex =>
  `${code}${encodeAbiParameters([{ type: 'address' }], [owner]).slice(2)}` as Hex

export async function deploy(node: LocalNode, data: Hex): Promise<Address> {
  const [from] = await node.send<Address[]>('eth_accounts')
  const hash = await node.send<Hex>('eth_sendTransaction', { from, data, gas: '0x4c4b40', gasPrice: '0x0' })
  // The block follows at once, but not always before the next request.
  return vi.waitFor(
    async () => {
      type Receipt = { contractAddress: Address; status: Hex }
      const receipt = await node.send<Receipt | null>('eth_getTransactionReceipt', hash)
      if (receipt?.status !== '0x1') throw new Error('not created')
      return receipt.contractAddress.toLowerCase() as Address
    },
    { timeout: HANGS_MS },
  )
}
