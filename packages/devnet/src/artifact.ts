import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Abi, Address, Hex } from 'viem'

type LinkReferences = Readonly<Record<string, Readonly<Record<string, readonly { start: number; length: number }[]>>>>

export type Artifact = { abi: Abi; bytecode: Hex; linkReferences: LinkReferences }

const PROTOCOLS = join(import.meta.dirname, '..', 'protocols')

/**
 * Starts at the folder of protocol packages. Walks up by hand: most of them hide their artifacts, or all of themselves,
 * from module resolution.
 */
export const packageFolder = (name: string, from: string = PROTOCOLS): string => {
  const found = join(from, 'node_modules', name)
  if (existsSync(join(found, 'package.json'))) return found
  const parent = dirname(from)
  if (parent === from) throw new Error(`package ${name} is not installed`)
  return packageFolder(name, parent)
}

const asHex = (bytecode: string): Hex => (bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}`)

const parseArtifact = (file: string): Artifact => {
  const json = JSON.parse(readFileSync(file, 'utf8')) as {
    abi: Abi
    bytecode: string
    linkReferences?: LinkReferences
  }
  return { abi: json.abi, bytecode: asHex(json.bytecode), linkReferences: json.linkReferences ?? {} }
}

export const packageArtifact = (packageName: string, path: string): Artifact =>
  parseArtifact(join(packageFolder(packageName), path))

export const packageBytecode = (packageName: string, root: string, name: string): Artifact => {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(packageFolder(packageName), root, folder, `${name}.json`), 'utf8')) as unknown
  const { creationCode } = read('bytecode') as { creationCode: string }
  return { abi: read('abi') as Abi, bytecode: asHex(creationCode), linkReferences: {} }
}

export const ownArtifact = (name: string): Artifact =>
  parseArtifact(join(import.meta.dirname, '..', 'contracts', `${name}.json`))

/** Hardhat artifact `<root>/<folder>/<Name>.sol/<Name>.json`, by `<folder>/<Name>`. */
export const hardhatArtifacts = (packageName: string) => (path: string) =>
  packageArtifact(packageName, `artifacts/contracts/${path}.sol/${path.slice(path.lastIndexOf('/') + 1)}.json`)

/** Foundry artifact `<root>/<Name>.sol/<Name>.json`. */
export const foundryArtifact = (packageName: string, root: string, name: string): Artifact => {
  const file = join(packageFolder(packageName), root, `${name}.sol`, `${name}.json`)
  const json = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: { object: string } }
  return { abi: json.abi, bytecode: asHex(json.bytecode.object), linkReferences: {} }
}

export const link = (artifact: Artifact, libraries: Readonly<Record<string, Address>>): Artifact => {
  let code = artifact.bytecode.slice(2)
  for (const file of Object.values(artifact.linkReferences)) {
    for (const [name, places] of Object.entries(file)) {
      const library = libraries[name]
      if (!library) throw new Error(`library ${name} is not deployed`)
      for (const { start, length } of places) {
        code = code.slice(0, start * 2) + library.slice(2).toLowerCase() + code.slice((start + length) * 2)
      }
    }
  }
  return { ...artifact, bytecode: `0x${code}` }
}
