import { describe, expect, it } from 'vitest'
import { chainTypes } from '../chains/chain-types.ts'
import type { ProtocolRow } from '../chains/protocol-row.ts'
import { checkProtocolRows } from './protocol-rows.ts'

const { protocolAdapters } = chainTypes
const address = `0x${'Ab'.repeat(20)}`

function row(family: string, deployment: ProtocolRow['deployment']): ProtocolRow {
  return { family, key: 'mine', name: 'Mine', chain: 'base', deployment }
}

describe('protocol rows of the file', () => {
  it('are taken when their family takes them', () => {
    const rows = [
      row('uniswap_v3', { manager: address, factory: address }),
      row('lido', { stEth: address, wstEth: address }),
    ]
    expect(() => checkProtocolRows(rows, protocolAdapters)).not.toThrow()
  })

  it.each<[string, ProtocolRow, string]>([
    [
      'an unknown family',
      row('uniswap_v33', {}),
      'protocols[1].family: there is no family "uniswap_v33" (did you mean ',
    ],
    ['a missing address', row('lido', { stEth: address }), 'protocols[1].deployment.wstEth: '],
    [
      'a bad address',
      row('lido', { stEth: '0x1', wstEth: address }),
      'protocols[1].deployment.stEth: must be an address',
    ],
    [
      'an unknown field',
      row('lido', { stEth: address, wstEth: address, x: 1 }),
      'protocols[1].deployment: Unrecognized key',
    ],
  ])('are refused with %s', (_, bad, message) => {
    const rows = [row('lido', { stEth: address, wstEth: address }), bad]
    expect(() => checkProtocolRows(rows, protocolAdapters)).toThrow(`COFFER_CONFIG ${message}`)
  })
})
