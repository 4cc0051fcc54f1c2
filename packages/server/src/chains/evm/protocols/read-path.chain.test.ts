import { addresses } from '@coffer/devnet'
import { expect, it } from 'vitest'
import { protocolBench } from '../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../test/random.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { protocolRows } from './protocols.ts'

const bench = await protocolBench(protocolRows.filter(({ chain }) => chain === 'ethereum'))

it('reads all rows of a chain in two batches, each of one request', async () => {
  await bench.recognise([evmAddress(addresses.ethereum.local.vault)])
  const { positions, batches, requests } = await bench.read(bench.devnet.wallets.demo.address)
  expect(positions.map(({ protocol }) => protocol).toSorted()).toEqual([
    'aave_v2',
    'aave_v3',
    'compound_v2',
    'erc4626',
    'lido',
    'lido',
    'uniswap_v2',
    'uniswap_v3',
    'uniswap_v3',
  ])
  expect(batches).toBe(2)
  expect(requests).toBeLessThanOrEqual(2)
})

it('makes no more requests for an unknown wallet', async () => {
  const { positions, batches } = await bench.read(seededRandom('stranger').address())
  expect(positions).toEqual([])
  expect(batches).toBeLessThanOrEqual(2)
})

it('lists nothing where a contract is not there, and fails where it refuses', async () => {
  const known = await bench.discover()
  const of = (key: string) => known.find(({ deployment }) => deployment.key === key)
  expect(of('spark')?.protocolContracts).toEqual([])
  expect(of('venus')?.protocolContracts).toEqual([])
  expect(of('aave_v3')?.protocolContracts.length).toBeGreaterThan(0)
  // A contract that refuses every call replaces Venus.
  const comptroller = protocolRows.find(({ key, chain }) => key === 'venus' && chain === 'ethereum')?.deployment[
    'comptroller'
  ]
  await bench.client.setCode({ address: comptroller as `0x${string}`, bytecode: '0x60006000fd' })
  const venus = of('venus')?.deployment
  const scope = { reader: bench.openReader(), deployment: venus?.deployment }
  await expect(venus?.adapter.discover(scope)).rejects.toThrow()
})
