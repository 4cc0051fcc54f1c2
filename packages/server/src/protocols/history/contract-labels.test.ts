import { expect, test } from 'vitest'
import { chainRows } from '../../chains/chain-rows.ts'
import { NATIVE } from '../../domain/evm-address.ts'
import { readAsset } from '../../lib/asset.ts'
import { bridgeRows } from '../catalog/bridge-rows.ts'
import { labelledProtocols, labelsOf } from './contract-labels.ts'

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

test('a label is told by chain', () => {
  const depositContract = '0x00000000219ab540356cbb839cbe05303d7705fa'
  expect(labelsOf('ethereum')(depositContract)).toEqual({ protocol: 'ethereum_staking', role: 'staking' })
  expect(labelsOf('base')(depositContract)).toBeUndefined()
  expect(labelsOf('nowhere')(depositContract)).toBeUndefined()
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
