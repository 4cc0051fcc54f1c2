import { DISTRIBUTED } from '../../src/db/distribution.ts'

const NAMES = `"?(?:${Object.keys(DISTRIBUTED).join('|')})\\b`
const KEY = '\\b(?:wallet|address|scope)"?'
const TABLE = new RegExp(`\\b(?:from|join|into|update|using) ${NAMES}`)
const TARGET = new RegExp(`\\b(?:into|update|delete from) ${NAMES}`)
const NAMES_ONE = new RegExp(`${KEY} = \\$\\d`)
const NAMES_SOME = new RegExp(`${KEY} (?:= (?:any ?\\()?\\$\\d|in \\(\\$\\d)`)
const VOLATILE = /\b(?:clock_timestamp|random|gen_random_uuid|nextval)\(/
const STABLE = /\b(?:now|coffer_now|jsonb_build_object|to_jsonb|date_trunc)\(|\binterval\b|at time zone/

const replacedIn = (text: string): string => /\bon conflict\b.*\bdo update\b(.*)$/.exec(text)?.[1] ?? ''

/** By what a statement on a distributed table has to do. */
const READS: Readonly<Record<string, (text: string) => boolean>> = {
  'a ctid names no row of a distributed table': (text) => /\bctid\b/.test(text),
  'names its key as = $1 or = any ($1)': (text) =>
    /\bunnest\(/.test(text) && !text.startsWith('insert') && !NAMES_SOME.test(text),
  'a recursion names its key as = $1': (text) => /\bwith recursive\b/.test(text) && !NAMES_ONE.test(text),
  'locks rows of one key, = $1': (text) => /\bfor (?:no key )?update\b/.test(text) && !NAMES_ONE.test(text),
  'a subquery has a column': (text) => /\bfrom \(select from\b/.test(text),
  'no on conflict of a select from a distributed table': (text) =>
    !TARGET.test(text) && /^insert\b.*\bon conflict\b/.test(text),
}

const CHANGES: typeof READS = {
  'volatile values of a change are parameters': (text) => !text.startsWith('insert') && VOLATILE.test(text),
  'compares a time with a time': (text) => /\b(?:at|block_time) [<>]=? \$\d+::date\b/.test(text),
  'returns no value that a setting changes': (text) => /\breturning\b[^()]*::text\b/.test(text),
  'on conflict of a select has no parameter': (text) => !/\bvalues \(/.test(text) && /\$\d/.test(replacedIn(text)),
  'on conflict has immutable functions alone': (text) =>
    VOLATILE.test(replacedIn(text)) || STABLE.test(replacedIn(text)),
}

/** The rule of distributed tables that a statement breaks. Citus refuses such a statement, or asks every worker. */
export function brokenRule(statement: string): string | undefined {
  const text = statement.replaceAll(/\s+/g, ' ').trim().toLowerCase()
  if (!/^(?:select|insert|update|delete|with|\()/.test(text) || !TABLE.test(text)) return undefined
  const rules = Object.entries(TARGET.test(text) ? { ...READS, ...CHANGES } : READS)
  return rules.find(([, isBroken]) => isBroken(text))?.[0]
}
