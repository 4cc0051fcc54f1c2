import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Abi } from 'viem'
import { type Artifact, packageFolder } from './artifact.ts'
import { builtOnce } from './built-once.ts'

/** `solc` has no types. */
type Solc = { compile(input: string, callbacks: { import(path: string): { contents: string } }): string }
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

/** `path`: inside the package. `compiler`: package of its solc. */
type PackagedContract = { packageName: string; path: string; contract: string; compiler: string }

const SETTINGS = { optimizer: { enabled: true, runs: 200 }, metadata: { bytecodeHash: 'none' } }
const FILE = 'artifact.json'

const cacheFolder = (contract: string): string =>
  join(dirname(packageFolder('viem')), '.cache', 'coffer-compiled', contract)

/** Packages have pinned versions. */
const fingerprint = ({ packageName, path, contract, compiler }: PackagedContract): string => {
  const hash = createHash('sha256').update(JSON.stringify([path, contract, SETTINGS]))
  for (const name of [packageName, compiler]) hash.update(readFileSync(join(packageFolder(name), 'package.json')))
  return hash.digest('hex').slice(0, 16)
}

const compile = ({ packageName, path, contract, compiler }: PackagedContract): Artifact => {
  // Takes a second to load.
  const solc = createRequire(import.meta.url)(packageFolder(compiler)) as Solc
  const root = packageFolder(packageName)
  const read = (file: string) => ({ contents: readFileSync(join(root, file), 'utf8') })
  const settings = { ...SETTINGS, outputSelection: { [path]: { [contract]: ['abi', 'evm.bytecode.object'] } } }
  const input = { language: 'Solidity', sources: { [path]: { content: read(path).contents } }, settings }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as Output
  const failures = errors.filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = contracts?.[path]?.[contract]
  if (!compiled) throw new Error(`${path} of ${packageName} has no contract ${contract}`)
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}`, linkReferences: {} }
}

/** Cached next to the packages: the licence allows tests, but no copies in this repository. */
export const compilePackaged = async (
  packageName: string,
  path: string,
  contract: string,
  compiler = 'solc-0.8.19',
): Promise<Artifact> => {
  const asked = { packageName, path, contract, compiler }
  const folder = await builtOnce(cacheFolder(contract), fingerprint(asked), async (unfinished) => {
    writeFileSync(join(unfinished, FILE), JSON.stringify(compile(asked)))
  })
  return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Artifact
}
