import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { processEnv } from '../../src/config/env.ts'

export const root = fileURLToPath(new URL('../../../../', import.meta.url))
const packer = join(root, 'scripts/packages.mjs')

export type PackageName = 'client' | 'server'
export type Tarballs = Readonly<Record<PackageName, string>>
export type Manifest = {
  name: string
  version: string
  engines: Readonly<Record<string, string>>
  dependencies: Readonly<Record<string, string>>
}

/** Reach a registry through a proxy. */
export const REACHING = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'NO_PROXY']

/** Drops the rest of this run's environment. */
export async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
  const own = processEnv()
  const path = [dirname(process.execPath), join(root, 'node_modules/.bin'), own['PATH']].join(delimiter)
  const env = { PATH: path, HOME: own['HOME'], ...Object.fromEntries(REACHING.map((name) => [name, own[name]])) }
  return (await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout
}

/** Outside the workspace: modules resolve only to what is installed there. */
export function emptyProject(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `coffer-${name}-`))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export async function packAll(folder: string): Promise<Tarballs> {
  const printed = await runIn(root, process.execPath, packer, folder)
  const [client = '', server = ''] = printed.trim().split('\n')
  return { client, server }
}

/** Where npm would install it, without dependencies. */
export async function unpack(tarball: string, name: PackageName, project: string): Promise<string> {
  const folder = join(project, 'node_modules/@coffer', name)
  mkdirSync(folder, { recursive: true })
  await runIn(folder, 'tar', '-xzf', tarball, '--strip-components=1')
  return folder
}

export const install = (project: string, ...packages: string[]) =>
  runIn(project, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...packages)

export const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Relative to the package. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

/** `@noble/hashes/sha3` is of `@noble/hashes`. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Imports of code and declarations, also by `resolve`, in order. */
export function importsOf(folder: string): string[] {
  const found = new Set<string>()
  for (const name of filesOf(folder).filter((file) => /\.(m?js|d\.ts)$/.test(file) && !file.startsWith('portal/'))) {
    const code = readFileSync(join(folder, name), 'utf8')
    for (const { fileName } of ts.preProcessFile(code).importedFiles) found.add(fileName)
    for (const [, name = ''] of code.matchAll(/\bresolve\('([^'.]+)'\)/g)) found.add(name)
  }
  const names = [...found].filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
  return [...new Set(names.map(packageOf))].sort()
}
