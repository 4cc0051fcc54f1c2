// npm run check: format and lint, types, import rules (verifies that modules were seen), unused files and packages, budgets.
import { spawnSync } from 'node:child_process'
import { checkBudget } from './budget.mjs'

/** A cruise without resolved modules passes silently: fewer than this is a failure. */
const MODULES_AT_LEAST = 100

/** Twice as fast as the package `typescript`, whose interface dependency-cruiser and generators of clients need. */
const TSC = 'node_modules/typescript-native/bin/tsc'

const CHECKS = {
  'format and lint': () => run('biome', ['check', '.']),
  types: () => run(TSC, ['-p', 'tsconfig.json']),
  'types of the portal': () => run(TSC, ['-p', 'packages/portal/tsconfig.json']),
  'import rules': checkImports,
  'unused files, exports and packages': () => run('knip', ['--no-config-hints']),
  'budget of size and wording': checkBudget,
}

export function runChecks() {
  const names = Object.keys(CHECKS)
  const failed = names.filter((name) => !CHECKS[name]())
  for (const name of failed) console.error(`check failed: ${name}`)
  return { count: names.length, failed }
}

function run(command, args) {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0
}

function checkImports() {
  const args = ['packages', '--config', '.dependency-cruiser.mjs']
  const { status, stdout } = spawnSync('depcruise', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  process.stdout.write(stdout ?? '')
  const modules = Number(/(\d+) modules/.exec(stdout)?.[1] ?? 0)
  if (modules >= MODULES_AT_LEAST) return status === 0
  console.error(`dependency-cruiser saw ${modules} modules, expected at least ${MODULES_AT_LEAST}: it checked nothing`)
  return false
}

if (import.meta.main) process.exit(runChecks().failed.length === 0 ? 0 : 1)
