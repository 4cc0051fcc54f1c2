import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import solc from 'solc'
import { packageFolder } from './artifact.ts'

const FOLDER = join(import.meta.dirname, '..', 'contracts')

type Compiled = { abi: unknown; bytecode: string }
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>
}

/** File, contract and artifact share the name. */
export const contractNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sol'))
    .map((file) => file.slice(0, -'.sol'.length))

const readImport = (path: string) => {
  const [scope, name, ...rest] = path.split('/')
  return { contents: readFileSync(join(packageFolder(`${scope}/${name}`), ...rest), 'utf8') }
}

/** Changing a setting requires rewriting the artifacts. */
export const compileContracts = (): Record<string, Compiled> => {
  const names = contractNames()
  const sources = names.map((name) => [`${name}.sol`, { content: readFileSync(join(FOLDER, `${name}.sol`), 'utf8') }])
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  const input = { language: 'Solidity', sources: Object.fromEntries(sources), settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as Output
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (failures.length > 0) throw new Error(failures.map((error) => error.formattedMessage).join('\n'))
  return Object.fromEntries(
    names.map((name) => {
      const contract = output.contracts[`${name}.sol`]?.[name]
      if (!contract) throw new Error(`${name}.sol has no contract ${name}`)
      return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }]
    }),
  )
}
