import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { chainTypes } from '../../src/chains/chain-types.ts'
import { readConfig, sourceVariables } from '../../src/config/config.ts'
import { variables as ownVariables } from '../../src/config/env.ts'
import { checkProtocolRows } from '../../src/config/protocol-rows.ts'

const variables = [...ownVariables, ...sourceVariables(chainTypes)]
const root = new URL('../../../../', import.meta.url)
const guide = readFileSync(new URL('docs/configuration.md', root), 'utf8')
const sample = readFileSync(new URL('.env.example', root), 'utf8')

/** Names of settings in a text. Those of one chain count as the placeholder for all chains. */
function namesIn(text: string): string[] {
  const names = text.match(/\b(COFFER_[A-Z_]+|DATABASE_[A-Z_]+)\b/g) ?? []
  return [...new Set(names.filter((name) => !name.startsWith('COFFER_RPC_')))].sort()
}

describe('settings', () => {
  it('are all documented, and nothing else is', () => {
    const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
    const documented = rows.map((row) => /^\| `([A-Z_]+)` \|/.exec(row)?.[1]).filter((name) => name !== undefined)
    expect(documented.sort()).toEqual([...variables].sort())
    expect(namesIn(guide).filter((name) => name !== 'COFFER_POTR')).toEqual([...variables].sort())
    expect(guide).toContain('| `COFFER_RPC_<CHAIN>` |')
  })

  it('are all in .env.example, which can be used as it is', () => {
    expect(namesIn(sample)).toEqual([...variables].sort())
    const assignments = [...sample.matchAll(/^# ((?:COFFER|DATABASE)_[A-Z_]+)=(.*)$/gm)]
    expect(assignments).toHaveLength(variables.length + 1)
    const env = Object.fromEntries(assignments.map(([, name, value]) => [name, value]))
    const all = {
      ...env,
      COFFER_PRICES: 'defillama,coingecko,jupiter',
      COFFER_CONFIG: '',
      COFFER_LABELS: '',
      DATABASE_REPLICA_URL: '',
    }
    expect(readConfig(all, () => '').endpoints.get('ethereum')).toHaveLength(2)
  })

  it('name every family that a protocol row may have', () => {
    const table = guide.slice(guide.indexOf('| family |'))
    const named = [...table.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, name]) => name)
    expect(named.sort()).toEqual([...chainTypes.protocolAdapters.keys()].sort())
  })

  it('show a file that the service and its published schema accept', () => {
    const example = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
    const config = readConfig({ COFFER_CONFIG: 'example.json' }, () => example)
    expect(config.endpoints.has('my_chain')).toBe(true)
    expect(config.tokens).toHaveLength(1)
    expect(config.protocols).toHaveLength(1)
    checkProtocolRows(config.protocols, chainTypes.protocolAdapters)
    const schema: unknown = JSON.parse(readFileSync(new URL('packages/server/coffer-config.schema.json', root), 'utf8'))
    const validate = new Ajv2020({ strict: false }).compile(schema as object)
    expect(validate(JSON.parse(example)), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ tokens: [{ chain: 'base' }] })).toBe(false)
    expect(validate({ token: [] })).toBe(false)
  })
})
