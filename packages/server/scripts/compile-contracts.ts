import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

/** `solc` has no types. */
type Solc = { compile(input: string): string; version(): string }

type Contract = { abi: readonly AbiItem[]; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, Contract>>
}

/** `internalType` names a tuple's struct, e.g. `struct PoolLens.Pool[]`. */
type Parameter = { name: string; type: string; internalType: string; components?: readonly Parameter[] }
type AbiItem = {
  type: string
  name: string
  stateMutability: string
  inputs: readonly Parameter[]
  outputs: readonly Parameter[]
}

/** Columns, as in `biome.json`. */
const WIDTH = 120

const sourceRoot = join(import.meta.dirname, '../src')

/**
 * Oldest sufficient instruction set: some chains got PUSH0 late or never. No metadata: the same source gives the same
 * bytes.
 */
const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'istanbul',
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/** Returns the text of each source's `*.bytecode.ts`. Sources with only abstract contracts have none. */
export function compileContracts(): Map<string, string> {
  const solc = createRequire(import.meta.url)('solc') as Solc
  const files = globSync('**/*.sol', { cwd: sourceRoot }).sort()
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(join(sourceRoot, file), 'utf8') }]),
  )
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as Output
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  const texts = files.map((file) => [bytecodePath(file), bytecodeText(file, output.contracts[file] ?? {})] as const)
  return new Map(texts.filter(([, text]) => text.includes('export const')))
}

function bytecodePath(file: string): string {
  return join(sourceRoot, file.replace(/[.]sol$/, '.bytecode.ts'))
}

function bytecodeText(file: string, contracts: Output['contracts'][string]): string {
  const lines = [`// Compiled from ${basename(file)} by \`npm run contracts\`; a test compares them.`]
  // Other contracts in a file are parts of its namesake.
  const own = basename(file, '.sol').replaceAll('-', '')
  for (const [name, contract] of Object.entries(contracts)) {
    if (contract.evm.bytecode.object === '' || name.toLowerCase() !== own) continue
    lines.push('', ...(file.endsWith('-lens.sol') ? lensLines(name, contract) : codeLines(name, contract)))
  }
  return `${lines.join('\n')}\n`
}

const constantOf = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

const codeLines = (name: string, { evm }: Contract): string[] => [
  `export const ${constantOf(name)}Code = {`,
  '  /** Creates the contract. */',
  field('creation', evm.bytecode.object),
  '  /** What lives at its address then. */',
  field('runtime', evm.deployedBytecode.object),
  '} as const',
]

/** In the format of `EvmReader.lens`. */
function lensLines(name: string, { abi, evm }: Contract): string[] {
  const items = abiTexts(abi).map((text) => `'${text}'`)
  const line = `  abi: parseAbi([${items.join(', ')}]),`
  const lines = line.length <= WIDTH ? [line] : ['  abi: parseAbi([', ...items.map((item) => `    ${item},`), '  ]),']
  return [
    `import { parseAbi } from 'viem'`,
    '',
    `export const ${constantOf(name)} = {`,
    `  name: '${name}',`,
    ...lines,
    field('runtimeCode', evm.deployedBytecode.object),
    '} as const',
  ]
}

/** Input of `parseAbi`. */
function abiTexts(abi: readonly AbiItem[]): string[] {
  const structs = new Map<string, string>()
  const textOf = (parameters: readonly Parameter[]) =>
    parameters.map((each) => [typeOf(each), each.name].filter((part) => part !== '').join(' '))
  function typeOf({ type, internalType, components }: Parameter): string {
    if (!components) return type
    const name = /(\w+)(\[\d*\])*$/.exec(internalType)?.[1] ?? ''
    const fields = textOf(components).map((field) => `${field};`)
    const text = `struct ${name} { ${fields.join(' ')} }`
    if ((structs.get(name) ?? text) !== text) throw new Error(`two structs of a lens are called ${name}`)
    structs.set(name, text)
    return type.replace('tuple', name)
  }
  const all = abi.filter(({ type }) => type === 'function')
  const functions = all.map(({ name, stateMutability, inputs, outputs }) => {
    const answer = outputs.length > 0 ? ` returns (${textOf(outputs).join(', ')})` : ''
    return `function ${name}(${textOf(inputs).join(', ')})${stateMutability === 'nonpayable' ? '' : ' view'}${answer}`
  })
  return [...structs.values(), ...functions]
}

function field(name: string, code: string): string {
  const line = `  ${name}: '0x${code}',`
  return line.length <= WIDTH ? line : `  ${name}:\n    '0x${code}',`
}

export const stampFile = join(import.meta.dirname, 'contracts.sha256')

/** Of sources, compiler and compiled texts: a change of one alone changes it, which takes no compilation to see. */
export function stampContracts(): string {
  const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string }
  const hash = createHash('sha256').update(JSON.stringify([version, settings]))
  for (const file of globSync('**/*{.sol,.bytecode.ts}', { cwd: sourceRoot }).sort()) {
    hash.update(file).update(readFileSync(join(sourceRoot, file)))
  }
  return `${hash.digest('hex')}\n`
}

if (import.meta.main) {
  for (const [path, text] of compileContracts()) writeFileSync(path, text)
  writeFileSync(stampFile, stampContracts())
}
