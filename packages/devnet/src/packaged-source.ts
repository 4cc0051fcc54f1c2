import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Abi } from 'viem'
import { type Artifact, packageFolder } from './artifact.ts'

/** What `solc` publishes; it has no types of its own. */
type Solc = { compile(input: string, callbacks: { import(path: string): { contents: string } }): string }
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

/**
 * A contract of a package that publishes source alone; `path` is inside the package, `compiler` the package of its solc. It is
 * compiled whenever a chain is built and stored nowhere: its licence allows tests, and no copies in this repository.
 */
export const compilePackaged = (
  packageName: string,
  path: string,
  contract: string,
  compiler = 'solc-0.8.19',
): Artifact => {
  // Takes a second to load, and only who builds a chain needs it.
  const solc = createRequire(import.meta.url)(compiler) as Solc
  const root = packageFolder(packageName)
  const read = (file: string) => ({ contents: readFileSync(join(root, file), 'utf8') })
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none' },
    outputSelection: { [path]: { [contract]: ['abi', 'evm.bytecode.object'] } },
  }
  const input = { language: 'Solidity', sources: { [path]: { content: read(path).contents } }, settings }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as Output
  const failures = errors.filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = contracts?.[path]?.[contract]
  if (!compiled) throw new Error(`${path} of ${packageName} has no contract ${contract}`)
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}`, linkReferences: {} }
}
