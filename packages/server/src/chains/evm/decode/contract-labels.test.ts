import { expect, test } from 'vitest'
import { createTokenCatalog } from '../../../catalog/token-catalog.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { readAsset } from '../../../lib/asset.ts'
import { findChain } from '../../chain-catalog.ts'
import { chains as shipped } from '../../chain-types.ts'
import { chainRows } from '../chain-rows.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { bridgeRows, createContractDirectory } from './contract-directory.ts'
import { createLabels, labelledProtocols, labelsOf } from './contract-labels.ts'

const { chains } = JSON.parse(readAsset('contract-labels.json')) as {
  chains: Record<string, Record<string, [string, string]>>
}
const ROLES = ['bridge', 'distributor', 'exchange', 'lending', 'other', 'staking', 'vault']

test('labels are of known chains, contracts, roles and named protocols', () => {
  const names = new Map(labelledProtocols().map(({ key, name }) => [key, name]))
  const keys = chainRows.map(({ key }) => key as string)
  for (const [chain, contracts] of Object.entries(chains)) {
    expect(keys).toContain(chain)
    for (const [address, [protocol, role]] of Object.entries(contracts)) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      expect(address).not.toBe(NATIVE)
      expect(ROLES).toContain(role)
      expect(names.get(protocol), protocol).toMatch(/\S/)
    }
  }
})

test('a label belongs to a chain', () => {
  const depositContract = '0x00000000219ab540356cbb839cbe05303d7705fa'
  expect(labelsOf('ethereum')(depositContract)).toEqual({ protocol: 'ethereum_staking', role: 'staking' })
  expect(labelsOf('base')(depositContract)).toBeUndefined()
  expect(labelsOf('nowhere')(depositContract)).toBeUndefined()
})

// Source: the protocols' own documents and block explorers.
test.each([
  ['ethereum', '0x4aa42145aa6ebf72e164c9bbc74fbd3788045016', 'gnosis_bridge', 'bridge'],
  ['ethereum', '0xabea9132b05a70803a4e85094fd0e1800777fbef', 'zksync_lite', 'bridge'],
  ['ethereum', '0xd3b5b60020504bc3489d6949d545893982ba3011', 'arbitrum_bridge', 'bridge'],
  ['ethereum', '0xa5f565650890fba1824ee0f21ebbbf660a179934', 'relay', 'bridge'],
  ['ethereum', '0xd37bbe5744d730a1d98d8dc97c42f0ca46ad7146', 'thorchain', 'bridge'],
  ['optimism', '0xb0d502e938ed5f4df2e681fe6e419ff29631d62b', 'stargate', 'bridge'],
  ['polygon', '0x1111111254eeb25477b68fb85ed929f73a960582', 'oneinch', 'exchange'],
  ['base', '0xdef1c0ded9bec7f1a1670819833240f027b25eff', 'zeroex', 'exchange'],
  ['gnosis', '0x9008d19f58aabd9ed0d60971565aa8510560ab41', 'cow_protocol', 'exchange'],
  ['ethereum', '0x00000000000000adc04c56bf30ac9d3c0aaf14dc', 'opensea', 'exchange'],
  ['ethereum', '0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7', 'curve', 'exchange'],
  ['ethereum', '0xbfcf63294ad7105dea65aa58f8ae5be2d9d0952a', 'curve', 'staking'],
  ['ethereum', '0x889edc2edab5f40e902b864ad4d7ade8e412f9b1', 'lido', 'staking'],
  ['ethereum', '0x253553366da8546fc250f225fe3d25d0c782303b', 'ens', 'other'],
] as const)('on %s %s is of %s, for %s', (chain, address, protocol, role) => {
  expect(labelsOf(chain)(address)).toEqual({ protocol, role })
})

test('what a bridge’s row names is called no other thing', () => {
  for (const { key, contracts } of bridgeRows) {
    for (const [chain, addresses] of Object.entries(contracts)) {
      for (const address of addresses) {
        const label = labelsOf(chain)(address)
        if (label) expect([address, label.role], key).toEqual([address, 'bridge'])
      }
    }
  }
})

test('labels of the operator come first, with the role of their category', () => {
  const known = '0x00000000219ab540356cbb839cbe05303d7705fa'
  const fresh: EvmAddress = `0x${'ab'.repeat(20)}`
  const own = (address: string, category: string) => ({ chain: 'ethereum', address, protocol: 'mine', category })
  const of = createLabels([own(known, 'gaming'), own(fresh, 'yield_vaults')])
  expect(of('ethereum')(known)).toEqual({ protocol: 'mine', role: 'other' })
  expect(of('ethereum')(fresh)).toEqual({ protocol: 'mine', role: 'vault' })
  expect(of('base')(fresh)).toBeUndefined()
  expect(of('gnosis')('0x9008d19f58aabd9ed0d60971565aa8510560ab41')?.protocol).toBe('cow_protocol')
})

test('every contract that a row of the catalog names has a protocol, but for tokens that others issue', () => {
  const tokens = createTokenCatalog({ chains: shipped, configTokens: [] })
  for (const key of new Set(protocolRows.map(({ chain }) => chain))) {
    const chain = findChain(key, shipped)
    if (!chain) throw new Error(`${key} is no chain`)
    const deployments = protocolRows.filter((row) => row.chain === key).map(bindProtocol)
    const { protocolOf } = createContractDirectory({
      ...{ chain, bridges: bridgeRows, labelOf: labelsOf(key), isSpam: () => false },
      rows: deployments.map((deployment) => ({ deployment, protocolContracts: undefined })),
      isListed: (address) => tokens.find(key, address) !== undefined,
    })
    const unnamed = deployments
      .flatMap(({ contracts }) => contracts)
      .filter((address) => protocolOf(address) === undefined)
    const others = unnamed.filter((address) => address !== NATIVE && tokens.find(key, address) === undefined)
    expect(others, key).toEqual([])
  }
})
