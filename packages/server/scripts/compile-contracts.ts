import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

/** What `solc` publishes; it has no types of its own. */
type Solc = { compile(input: string): string; version(): string }

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>>
}

/** Columns, as in `biome.json`. */
const WIDTH = 120

const sourceRoot = join(import.meta.dirname, '../src')

/**
 * The oldest instruction set that has all we need, so that the code runs on chains that came to PUSH0 late or never;
 * no metadata, so that the same source gives the same bytes.
 */
const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'istanbul',
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/**
 * Compiles every contract under `src` and answers the text of the `*.bytecode.ts` that belongs beside each source. A
 * source of abstract contracts alone has no bytes, and no such file.
 */
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
  // Other contracts of a file are parts of the one that it is named after.
  const own = basename(file, '.sol').replaceAll('-', '')
  for (const [name, { evm }] of Object.entries(contracts)) {
    const prefix = name.charAt(0).toLowerCase() + name.slice(1)
    const { bytecode, deployedBytecode } = evm
    if (bytecode.object === '' || name.toLowerCase() !== own) continue
    lines.push(
      '',
      `export const ${prefix}Code = {`,
      '  /** Creates the contract. */',
      field('creation', bytecode.object),
      '  /** What lives at its address then. */',
      field('runtime', deployedBytecode.object),
      '} as const',
    )
  }
  return `${lines.join('\n')}\n`
}

/** A line, or two where one is wider than the formatter allows. */
function field(name: string, code: string): string {
  const line = `  ${name}: '0x${code}',`
  return line.length <= WIDTH ? line : `  ${name}:\n    '0x${code}',`
}

if (import.meta.main) {
  for (const [path, text] of compileContracts()) writeFileSync(path, text)
}
