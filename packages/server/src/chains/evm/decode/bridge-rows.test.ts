import * as viemChains from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { chainRows } from '../chain-rows.ts'
import { protocolRows } from '../protocols/protocols.ts'
import { bridgeRows, exchangeRows } from './contract-directory.ts'

const ETHEREUM = 1
const MADE_FOR_ALL = ['l2StandardBridge', 'l2Erc721Bridge', 'l2CrossDomainMessenger', 'l2ToL1MessagePasser'] as const
const chainKeys = new Set<string>(chainRows.map(({ key }) => key))

type Contracts = Readonly<Record<string, { address?: string } & Readonly<Record<number, { address: string }>>>>

const chains = new Map<string, { contracts?: Contracts }>(Object.entries(viemChains) as never)

/** Bridge addresses between Ethereum and OP Stack chains, according to viem. */
const published = chainRows.flatMap(({ key, viem }) => {
  const contracts = chains.get(viem)?.contracts ?? {}
  const above = ['l1StandardBridge', 'portal'].flatMap((name) => contracts[name]?.[ETHEREUM]?.address ?? [])
  const below = MADE_FOR_ALL.flatMap((name) => contracts[name]?.address ?? [])
  return above.length > 0 && below.length > 0 ? [{ key, above, below }] : []
})

describe('bridges', () => {
  it('have those of every chain of the stack, as viem publishes them', () => {
    expect(published.length).toBeGreaterThan(10)
    for (const { key, above, below } of published) {
      const contracts = bridgeRows.find((bridge) => bridge.key === `${key}_bridge`)?.contracts
      expect(contracts?.['ethereum'], key).toEqual(
        expect.arrayContaining(above.map((address) => address.toLowerCase())),
      )
      expect(contracts?.[key], key).toEqual(below.map((address) => address.toLowerCase()))
    }
  })

  it('have keys of their own', () => {
    const keys = bridgeRows.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.filter((key) => protocolRows.some((row) => row.key === key))).toEqual([])
    for (const key of keys) expect(key).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
  })

  it('reach more than one chain, each contract being of one bridge', () => {
    for (const { key, contracts } of bridgeRows) {
      expect(Object.keys(contracts).length, key).toBeGreaterThan(1)
      for (const chain of Object.keys(contracts)) expect(chainKeys.has(chain), `${key}: ${chain}`).toBe(true)
    }
    const places = bridgeRows.flatMap(({ contracts }) =>
      Object.entries(contracts).flatMap(([chain, list]) => list.map((address) => `${chain} ${address}`)),
    )
    for (const place of places) expect(place).toMatch(/^\w+ 0x[0-9a-f]{40}$/)
    expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([])
  })
})

it('exchanges trade at protocols of the catalog, on chains that exist', () => {
  for (const { key, routers } of exchangeRows) {
    expect(protocolRows.some((row) => row.key === key)).toBe(true)
    for (const [chain, list] of Object.entries(routers)) {
      expect(chainKeys.has(chain), chain).toBe(true)
      for (const address of list) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
    }
  }
})
