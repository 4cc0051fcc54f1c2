import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Abi, Address, Hex } from 'viem'

type LinkReferences = Readonly<Record<string, Readonly<Record<string, readonly { start: number; length: number }[]>>>>

/** A compiled contract: how to call it and how to create it. */
export type Artifact = { abi: Abi; bytecode: Hex; linkReferences: LinkReferences }

/**
 * Where a package is installed, seen from a folder (this one unless told). Walks up by hand: the protocol packages
 * are data to us, and most hide their artifacts, or all of themselves, from module resolution.
 */
export const packageFolder = (name: string, from: string = import.meta.dirname): string => {
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

/** A contract out of a protocol's npm package; `path` is inside the package. */
export const packageArtifact = (packageName: string, path: string): Artifact =>
  parseArtifact(join(packageFolder(packageName), path))

/** A contract whose package keeps ABI and creation code apart, in `<root>/abi` and `<root>/bytecode`. */
export const packageBytecode = (packageName: string, root: string, name: string): Artifact => {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(packageFolder(packageName), root, folder, `${name}.json`), 'utf8')) as unknown
  const { creationCode } = read('bytecode') as { creationCode: string }
  return { abi: read('abi') as Abi, bytecode: asHex(creationCode), linkReferences: {} }
}

/** One of our own contracts, by its name. */
export const ownArtifact = (name: string): Artifact =>
  parseArtifact(join(import.meta.dirname, '..', 'contracts', `${name}.json`))

/** A Hardhat artifact `<root>/<folder>/<Name>.sol/<Name>.json`, by `<folder>/<Name>`. */
export const hardhatArtifacts = (packageName: string) => (path: string) =>
  packageArtifact(packageName, `artifacts/contracts/${path}.sol/${path.slice(path.lastIndexOf('/') + 1)}.json`)

/** A Foundry artifact `<root>/<Name>.sol/<Name>.json`. */
export const foundryArtifact = (packageName: string, root: string, name: string): Artifact => {
  const file = join(packageFolder(packageName), root, `${name}.sol`, `${name}.json`)
  const json = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: { object: string } }
  return { abi: json.abi, bytecode: asHex(json.bytecode.object), linkReferences: {} }
}

/** Writes the addresses of deployed libraries into the creation code. */
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
