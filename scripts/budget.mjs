// Budgets that keep the code small and its wording plain. A feature that needs one raised raises it in its own commit.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export const BUDGET = {
  'files of the server': 660,
  'lines of the server': 69_500,
  'files of the server under 20 lines': 45,
  'words of comments per 1,000 lines': 500,
  'comments that begin with What, Of, Whether, Who or Those': 0,
  'unusual words per 1,000 words': 1,
  'literals `...{ a, b }`': 0,
  '`Parameters<typeof`': 1,
  '`Pick<`': 15,
  'factories with one caller and no test': 0,
  'files behind the EVM collector': 50,
  'files behind the portfolio module': 80,
  'words of docs/how': 14_000,
  'decision records': 20,
  'words of the longest record': 250,
}

/** Words that a newcomer has to decode, and the field's words for them. */
const UNUSUAL = [
  [/\bno(?: |-)?body\b|\bwhoever\b/gi, 'name the actor, or "no one"'],
  [/\b(?:is|are|was|were|be|been) told\b|\btells? (?:of|apart)\b/gi, 'report, return, list, distinguish'],
  [/\banew\b/gi, 'again'],
  [/\bbeside (?:it|them|that|its|the)\b/gi, 'next to, with'],
  [/\b(?:renewed|read|searched|search|run|runs) behind\b/gi, 'in the background'],
  [/\bgo(?:es)? on\b|\bwent on\b/gi, 'continue'],
  [/\bso (?:called|many|few)\b|\bas (?:it|they) (?:is|are|was|were)\b/gi, 'name it'],
  [/\bis none\b|\bthere is none\b/gi, 'is missing'],
  [/\bin company\b|\bstrangers?\b/gi, 'untrusted contract, third party'],
  [/\bwhat (?:is|was|are|were) (?:told|asked|met|held|there|none|known|left|read|said)\b/gi, 'name the thing'],
  [/\b(?:is|are|was|were) met\b/gi, 'encountered'],
  [/\bof which\b|\bby way of\b/gi, 'split the sentence'],
  [/\b(?:lets|let) go of\b/gi, 'releases'],
  [/\bhas (?:heard|learned|learnt)\b/gi, 'records, caches, detects'],
]
const OPENING = /^(?:What|Of|Whether|Who|Those|That which|Where a|One that)\b/
const READ = ['packages/*/src/**/*.{ts,tsx}', 'packages/server/{test,bench,demo}/**/*.ts', 'docs/**/*.md', '*.md']
const SERVER = /^packages\/server\/src\//
const GENERATED = /bytecode|[.]recorded|[.]d[.]ts$/

/** Prints what exceeds its budget. Returns whether nothing does. */
export function checkBudget() {
  const { values, finds } = measure(readFiles())
  const above = Object.entries(values).filter(([name, value]) => value > BUDGET[name])
  for (const [name, value] of above) console.error(`${name}: ${value}, the budget is ${BUDGET[name]}`)
  if (values['unusual words per 1,000 words'] > BUDGET['unusual words per 1,000 words']) {
    for (const find of finds.slice(0, 20)) console.error(`  ${find}`)
  }
  return above.length === 0
}

function readFiles() {
  const names = globSync(READ).filter((name) => !GENERATED.test(name))
  return names.map((name) => ({ name, text: readFileSync(name, 'utf8') }))
}

/** `files`: `{ name, text }`. Returns the measured values by name of the budget, and the finds of unusual words. */
export function measure(files) {
  const server = files.filter(({ name }) => SERVER.test(name) && /[.]ts$/.test(name) && !/[.]test[.]ts$/.test(name))
  const comments = server.flatMap(({ text }) => commentsOf(text))
  const lines = server.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  const source = server.map(({ text }) => text).join('\n')
  const { rate, finds } = wording(files)
  const values = {
    'files of the server': server.length,
    'lines of the server': lines,
    'files of the server under 20 lines': server.filter(({ text }) => text.split('\n').length <= 20).length,
    'words of comments per 1,000 lines': Math.round((1_000 * wordsIn(withoutCode(comments.join(' ')))) / lines),
    'comments that begin with What, Of, Whether, Who or Those': comments.filter((text) => OPENING.test(text)).length,
    'unusual words per 1,000 words': rate,
    'literals `...{ a, b }`': source.match(/\.\.\.\{ /g)?.length ?? 0,
    '`Parameters<typeof`': source.match(/Parameters<typeof/g)?.length ?? 0,
    '`Pick<`': source.match(/\bPick</g)?.length ?? 0,
    'factories with one caller and no test': untestedFactories(source, files),
    'files behind the EVM collector': filesBehind(server, 'chains/evm/collect/collect.ts'),
    'files behind the portfolio module': filesBehind(server, 'features/portfolio/module.ts'),
    'words of docs/how': sum(sizesOf(files, 'docs/how/')),
    'decision records': sizesOf(files, 'docs/records/').length,
    'words of the longest record': Math.max(...sizesOf(files, 'docs/records/')),
  }
  return { values, finds }
}

const withoutCode = (text) => text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']')
const sum = (values) => values.reduce((total, value) => total + value, 0)
const sizesOf = (files, folder) => files.filter(({ name }) => name.startsWith(folder)).map(({ text }) => wordsIn(text))
const wordsIn = (text) => text.split(/\s+/).filter(Boolean).length

/** Texts of comments that stand on lines of their own; lines of one comment are joined. */
function commentsOf(text) {
  const found = []
  for (const [, block] of text.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\//gm))
    found.push(block.replace(/^\s*\*/gm, ' ').trim())
  for (const [lines] of text.matchAll(/(?:^[ \t]*\/\/ .*\n?)+/gm)) found.push(lines.replace(/^\s*\/\/ /gm, ' ').trim())
  return found
}

/** Prose of comments and of documentation. */
function wording(files) {
  const finds = []
  let words = 0
  for (const { name, text } of files) {
    const isGuide = /^(?:docs\/.+|[^/]+)[.]md$/.test(name) && !/CHANGELOG/.test(name)
    if (!isGuide && !/^packages\/[^/]+\/src\/.*[.]tsx?$/.test(name)) continue
    const prose = isGuide ? text.replace(/```[\s\S]*?```/g, '') : commentsOf(text).join('\n')
    const plain = withoutCode(prose)
    words += wordsIn(plain)
    for (const [pattern, instead] of UNUSUAL) {
      for (const [match] of plain.matchAll(pattern)) finds.push(`${name}: "${match}" (${instead})`)
    }
  }
  return { finds, rate: Math.round((10_000 * finds.length) / words) / 10 }
}

/** Files that a reader may have to open: imports and their imports, types included. */
function filesBehind(server, start) {
  const texts = new Map(server.map(({ name, text }) => [name.replace(SERVER, ''), text]))
  const found = new Set([start])
  for (const name of found) {
    const imports = texts.get(name)?.matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'/gms) ?? []
    for (const [, path] of imports) found.add(posix.join(posix.dirname(name), path))
  }
  return [...found].filter((name) => texts.has(name)).length - (texts.has(start) ? 1 : 0)
}

function untestedFactories(source, files) {
  const tests = files.filter(({ name }) => /[.]test[.]ts$|^packages\/server\/(?:test|bench|demo)\//.test(name))
  const tested = tests.map(({ text }) => text).join('\n')
  const factories = [...source.matchAll(/export (?:async )?function ((?:create|open)[A-Z]\w*)/g)].map(
    ([, name]) => name,
  )
  const uses = (name) => (source.match(new RegExp(`\\b${name}[(<]`, 'g'))?.length ?? 0) - 1
  return factories.filter((name) => uses(name) <= 1 && !new RegExp(`\\b${name}\\b`).test(tested)).length
}
