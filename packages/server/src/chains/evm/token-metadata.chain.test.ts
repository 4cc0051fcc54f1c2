import solc from 'solc'
import { describe, expect, it, vi } from 'vitest'
import { HANGS_MS, UNHURRIED } from '../../../test/hangs.ts'
import { startLocalNode } from '../../../test/local-node.ts'
import { started } from '../../../test/started.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { chains } from '../chain-types.ts'
import { createRpcPool } from '../rpc/rpc-pool.ts'
import { createEvmReader } from './reader/create-evm-reader.ts'
import { readTokenMetadata } from './token-metadata.ts'

/** Contracts with all forms of metadata found on the main networks. */
const SOURCE = `
contract Standard { string public symbol = "USDC"; string public name = "USD Coin"; uint8 public decimals = 6; }
contract Bytes32 { bytes32 public symbol = "MKR"; bytes32 public name = "Maker"; uint256 public decimals = 18; }
contract Long {
  uint8 public decimals = 18;
  function symbol() public pure returns (string memory) { return long("S"); }
  function name() public pure returns (string memory) { return long("N"); }
  function long(bytes1 letter) private pure returns (string memory) {
    bytes memory text = new bytes(10000);
    for (uint i; i < text.length; i++) text[i] = letter;
    return string(text);
  }
}
contract Bidi { string public symbol = unicode"\\u202eCDSU"; string public name = "a\\x00b\\nc"; uint8 public decimals = 0; }
contract Invalid { bytes public symbol = hex"ff55fe"; uint8 public decimals = 1; }
contract Most { string public symbol = "MOST"; uint256 public decimals = 36; }
contract TooMany { string public symbol = "MANY"; uint256 public decimals = 37; }
contract Wide { string public symbol = "WIDE"; uint256 public decimals = type(uint256).max; }
contract Nft { string public symbol = "NFT"; string public name = "Collectible"; }
contract Silent { uint8 public decimals = 18; }
contract Blank { string public symbol = unicode"\\u200b "; uint8 public decimals = 18; }
contract Liar { uint8 public decimals = 18; function symbol() public pure { assembly { mstore(0, 0x20) mstore(32, not(0)) return(0, 64) } } }
contract Empty { fallback() external {} }
`

type Output = {
  contracts: Record<
    string,
    Record<string, { evm: { deployedBytecode: { object: string }; bytecode: { object: string } } }>
  >
}

function compile(): [name: string, creation: string][] {
  const settings = { outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
  const input = { language: 'Solidity', sources: { 'tokens.sol': { content: SOURCE } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  return Object.entries(output.contracts['tokens.sol'] ?? {}).map(([name, { evm }]) => [
    name,
    `0x${evm.bytecode.object}`,
  ])
}

const chain = chains.find(({ key }) => key === 'ethereum')
const node = await started(startLocalNode())
const deployed = new Map<string, EvmAddress>()
const [from] = await node.send<string[]>('eth_accounts')
for (const [name, data] of compile()) {
  const hash = await node.send<string>('eth_sendTransaction', { from, data, gas: '0xf00000', gasPrice: '0x0' })
  // The block follows the transaction immediately, but not always before the next request.
  deployed.set(name, await vi.waitFor(() => addressMadeBy(hash), { timeout: HANGS_MS }))
}

async function addressMadeBy(hash: string): Promise<EvmAddress> {
  type Receipt = { contractAddress: EvmAddress }
  const receipt = await node.send<Receipt | null>('eth_getTransactionReceipt', hash)
  if (!receipt) throw new Error('not mined')
  return receipt.contractAddress
}

function reader(url = node.url) {
  if (!chain) throw new Error('no ethereum')
  const pool = createRpcPool({ chain: chain.key, urls: [url], limits: UNHURRIED })
  return createEvmReader({ pool, chain })
}

function addressOf(name: string): EvmAddress {
  const address = deployed.get(name)
  if (!address) throw new Error(`no contract ${name}`)
  return address
}

async function read(name: string) {
  const address = addressOf(name)
  return (await readTokenMetadata(reader(), [address])).get(address)
}

describe('token metadata', () => {
  it('is what the contract says, unlisted', async () => {
    const address = addressOf('Standard')
    const expected = { chain: 'ethereum', address, symbol: 'USDC', name: 'USD Coin', decimals: 6, listed: false }
    expect(await read('Standard')).toEqual(expected)
  })

  it.each([
    ['Bytes32', { symbol: 'MKR', name: 'Maker', decimals: 18 }],
    ['Long', { symbol: 'S'.repeat(32), name: 'N'.repeat(64), decimals: 18 }],
    ['Bidi', { symbol: 'CDSU', name: 'ab c', decimals: 0 }],
    ['Invalid', { symbol: '\ufffdU\ufffd', decimals: 1 }],
    ['Most', { symbol: 'MOST', name: 'MOST', decimals: 36 }],
  ])('is made fit to show: %s', async (name, expected) => {
    expect(await read(name)).toMatchObject(expected)
  })

  it.each(['TooMany', 'Wide', 'Nft', 'Silent', 'Blank', 'Liar', 'Empty'])(
    'is none for what is no countable token: %s',
    async (name) => {
      expect(await read(name)).toBeNull()
    },
  )

  it('is none where there is no contract, and for all in one answer', async () => {
    const nobody: EvmAddress = `0x${'99'.repeat(20)}`
    const found = await readTokenMetadata(reader(), [nobody, ...deployed.values(), nobody])
    expect(found.size).toBe(deployed.size + 1)
    expect(found.get(nobody)).toBeNull()
    expect(found.get(addressOf('Standard'))?.symbol).toBe('USDC')
  })

  it("rejects when the node fails: that is not the contract's word", async () => {
    const down = reader('http://127.0.0.1:1')
    await expect(readTokenMetadata(down, [addressOf('Standard')])).rejects.toMatchObject({ name: 'UpstreamError' })
  })
})
