import { expect, test } from 'vitest'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { ProtocolAdapter, ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { probeContracts } from './read-positions.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const addressOf = (last: string): EvmAddress => `0x${last.padStart(40, '0')}`
const protocolContract = (last: string): ProtocolContract => ({
  ...{ address: addressOf(last), role: 'pool', fungible: false, underlyings: [] },
})
const reader = {} as EvmReader

type Probe = ProtocolAdapter<unknown>['probe']

function row(probe: Probe, protocolContracts: ProtocolContract[] | undefined) {
  return { deployment: { adapter: { probe } } as ProtocolDeployment, protocolContracts }
}

test('every contract of a protocol with a probe is asked, all of them at once', async () => {
  const asked: string[] = []
  const waiting: ((found: boolean) => void)[] = []
  const probe: Probe = ({ protocolContract: { address } }) => {
    asked.push(address)
    return new Promise((resolve) => waiting.push(resolve))
  }
  const rows = [row(probe, [protocolContract('a1'), protocolContract('a2')]), row(undefined, [protocolContract('b1')])]
  const probed = probeContracts([...rows, row(probe, undefined), row(probe, [protocolContract('c1')])], reader, wallet)
  expect(asked).toEqual([addressOf('a1'), addressOf('a2'), addressOf('c1')])
  for (const [index, answer] of waiting.entries()) answer(index !== 0)
  expect((await probed).found).toEqual(new Set([addressOf('a2'), addressOf('c1')]))
})

test('a contract that refuses fails alone, a node that fails fails all', async () => {
  const failing = (error: Error) => row(() => Promise.reject(error), [protocolContract('a1')])
  const fine = row(() => Promise.resolve(true), [protocolContract('b1')])
  const refused = new Error('reverted')
  expect(await probeContracts([failing(refused), fine], reader, wallet)).toEqual({
    found: new Set([addressOf('b1')]),
    failed: new Map([[addressOf('a1'), refused]]),
  })
  const late = failing(new UpstreamError('timeout', 'late'))
  await expect(probeContracts([late, fine], reader, wallet)).rejects.toThrow('late')
})
