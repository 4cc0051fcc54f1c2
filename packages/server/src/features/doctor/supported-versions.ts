import type { Verdict } from './findings.ts'

type Range = {
  program: string
  /** [major, minor]. */
  least: readonly [number, number]
  newestMajor: number
}

const POSTGRES_VERSIONS: Range = { program: 'PostgreSQL', least: [15, 0], newestMajor: 18 }

/** Newest minor release by major, with its day. From the release notes of PostgreSQL. */
const POSTGRES_MINORS: Readonly<Record<number, { minor: number; released: string }>> = {
  15: { minor: 20, released: '2026-11-12' },
  16: { minor: 15, released: '2026-08-13' },
  17: { minor: 11, released: '2026-08-13' },
  18: { minor: 6, released: '2026-08-13' },
}

/** A server may be newer than the table. */
export function judgePostgres(version: string): Verdict {
  const verdict = judgeVersion(version, POSTGRES_VERSIONS)
  const [, major = '', minor = ''] = /^(\d+)\.(\d+)/.exec(version) ?? []
  const newest = POSTGRES_MINORS[Number(major)]
  if (verdict.state !== 'ok' || newest === undefined || minor === '' || Number(minor) >= newest.minor) return verdict
  const release = `${major}.${newest.minor} of ${newest.released}`
  return { state: 'warn', problem: `PostgreSQL ${version} lacks fixes of security and data: ${release} is newer` }
}

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
