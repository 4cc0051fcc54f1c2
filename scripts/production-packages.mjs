import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Entries of package-lock.json, by path, that the server's dependencies lead to; optional ones of other platforms too. */
export function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Map()
  const waiting = ['packages/server']
  for (const path of waiting) {
    const targets = namesNeededBy(packages[path]).map((name) => pathOf(packages, path, name))
    for (const target of targets.filter((each) => each !== undefined && !found.has(each))) {
      found.set(target, packages[target])
      waiting.push(packages[target].link ? packages[target].resolved : target)
    }
  }
  return found
}

function namesNeededBy({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** As Node resolves it: in the innermost folder. Peers may be missing. */
function pathOf(packages, from, name) {
  const parts = from.split('/')
  const folders = parts.map((_, i) => `${parts.slice(0, parts.length - i).join('/')}/`)
  return [...folders, ''].map((folder) => `${folder}node_modules/${name}`).find((path) => packages[path])
}
