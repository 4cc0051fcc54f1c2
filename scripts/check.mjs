// npm run check: format and lint, types, import rules (with proof that modules were seen), unused files and packages.
import { spawnSync } from 'node:child_process'

/** A cruise that resolves nothing passes in silence; fewer modules than this means the rules saw nothing. */
const MODULES_AT_LEAST = 15

function run(command, args, capture = false) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: capture ? ['ignore', 'pipe', 'inherit'] : 'inherit',
  })
  if (capture) process.stdout.write(result.stdout)
  if (result.status !== 0) process.exit(result.status ?? 1)
  return result.stdout
}

run('biome', ['check', '.'])
run('tsc', ['-p', 'tsconfig.json'])
const cruise = run('depcruise', ['packages', '--config', '.dependency-cruiser.mjs'], true)
const modules = Number(/(\d+) modules/.exec(cruise)?.[1] ?? 0)
if (modules < MODULES_AT_LEAST) {
  console.error(
    `dependency-cruiser saw ${modules} modules, expected at least ${MODULES_AT_LEAST}: its rules checked nothing`,
  )
  process.exit(1)
}
run('knip', ['--no-config-hints'])
