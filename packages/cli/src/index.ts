export type { Host } from './host.ts'
export { runUserCommand } from './run.ts'
