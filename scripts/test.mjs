// npm test: every check and test. The last line counts them.
// npm test -- --changed: every check, and tests that reach a file changed since the last commit.
// npm test -- <part of a path>…: only those files, without checks.
// --deep: large sizes.
import { parseCLI, startVitest } from 'vitest/node'
import { runChecks } from './check.mjs'

const args = process.argv.slice(2)
if (args.includes('--deep')) process.env.DEEP_TESTS = '1'

const cliArgs = args.filter((arg) => arg !== '--deep')
const namesFiles = cliArgs.some((arg) => !arg.startsWith('-'))
const checks = namesFiles ? { count: 0, failed: [] } : runChecks()
const tests = await runTests(cliArgs)
const passed = checks.count - checks.failed.length + tests.passed
const failed = checks.failed.length + tests.failed
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

async function runTests(cliArgs) {
  try {
    const { filter, options } = parseCLI(['vitest', 'run', ...cliArgs])
    const vitest = await startVitest('test', filter, options)
    const tally = count(vitest.state, options.changed !== undefined)
    await vitest.close()
    return tally
  } catch (error) {
    console.error(error)
    return { passed: 0, failed: 1 }
  }
}

/** Includes load errors, throwing hooks or setups, and stray rejections. */
function count(state, mayBeNone) {
  let passed = 0
  let failed = state.getUnhandledErrors().length
  for (const module of state.getTestModules()) {
    const states = [...module.children.allTests()].map((test) => test.result().state)
    const broken = states.filter((one) => one === 'failed' || one === 'pending').length
    passed += states.filter((one) => one === 'passed').length
    failed += module.state() === 'failed' ? Math.max(1, broken) : broken
  }
  const isNone = passed + failed === 0 && !mayBeNone
  if (isNone) console.error('no test was found')
  return { passed, failed: isNone ? 1 : failed }
}
