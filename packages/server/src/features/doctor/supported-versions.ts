import type { Verdict } from './findings.ts'

type Range = {
  program: string
  /** [major, minor]. */
  least: readonly [number, number]
  newestMajor: number
}

export const POSTGRES_VERSIONS: Range = { program: 'PostgreSQL', least: [15, 0], newestMajor: 18 }

/** Node 24.7 is the first with argon2 in `node:crypto`. */
export const NODE_VERSIONS: Range = { program: 'Node', least: [24, 7], newestMajor: 26 }

export function judgeVersion(version: string, { program, least, newestMajor }: Range): Verdict {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const [leastMajor, leastMinor] = least
  const supported = `${leastMajor}.${leastMinor} to ${newestMajor}`
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return { state: 'warn', problem: `${program} ${version} is too old: ${supported} are supported` }
  }
  if (major <= newestMajor) return { state: 'ok' }
  return {
    state: 'warn',
    problem: `${program} ${version} is newer than the tested versions: ${supported} are supported`,
  }
}
