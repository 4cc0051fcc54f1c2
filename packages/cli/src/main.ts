import { runUserCommand } from './run.ts'

process.exitCode = await runUserCommand(process.argv.slice(2))
