import { readFileSync } from 'node:fs'
import { endpoints, glossary } from '@coffer/contract'
import { describe, expect, test } from 'vitest'
import { promptOf, questions } from './prompts.ts'
import { readingOf, resourceList } from './resources.ts'
import { toolsOf } from './tools.ts'

const tools = toolsOf(endpoints)
const skill = readFileSync(new URL('../skill/coffer/SKILL.md', import.meta.url), 'utf8')
const guide = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')

const namesIn = (text: string) =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const verbs = /^(get|list|add|relabel|remove|create|rename|sync|subscribe)[A-Z]\w*$/

/** Fields of answers and arguments, from the contract. */
const known = new Set(
  JSON.stringify([...tools.values()].map(({ definition }) => definition.inputSchema.properties)).match(/\w+/g),
)
const OF_ANSWERS = [
  'about',
  'items',
  'shown',
  'more',
  'next',
  'skip',
  'complete',
  'role',
  'borrowed',
  'reward',
  'advice',
  'retryAfterSeconds',
  'creditsRequired',
  'creditsAvailable',
]
const OF_CONTRACT = Object.keys(glossary).map((name) => name.split('.').at(-1))

describe.each([
  ['the skill', skill],
  ['docs/mcp.md', guide],
])('%s', (_name, text) => {
  test('names tools that exist alone, and each that reads', () => {
    const named = new Set(namesIn(text).filter((name) => verbs.test(name)))
    for (const name of named) expect(tools.has(name), name).toBe(true)
    const reads = [...tools].filter(([, { writes }]) => !writes).map(([name]) => name)
    expect(reads.filter((name) => !named.has(name) && !name.endsWith('ByPubkey'))).toEqual([])
  })

  test('names resources and prompts that exist', () => {
    const uris = namesIn(text).filter((name) => name.startsWith('coffer://'))
    expect(uris.length).toBeGreaterThan(0)
    for (const uri of uris)
      expect(readingOf(uri.replace('{chainKey}', 'base').replace('{?page}', '?page=2')), uri).toBeDefined()
    for (const name of Object.keys(questions)) expect(namesIn(text)).toContain(name)
  })
})

test('the skill names fields that exist alone', () => {
  const words = namesIn(skill).filter((name) => /^[a-z]\w+$/.test(name) && !verbs.test(name))
  const all = new Set([...known, ...OF_ANSWERS, ...OF_CONTRACT, ...Object.keys(questions), 'coffer'])
  expect(words.filter((name) => !all.has(name))).toEqual([])
})

test('the skill has the head that agents read', () => {
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? []
  expect(head).toMatch(/^name: coffer$/m)
  expect(head.match(/^description: (.+)$/m)?.[1]?.length).toBeLessThan(1024)
})

test('prompts name tools that exist, and ask for the arguments that they need', () => {
  const args = { addresses: '0xaa', since: '2026-01-02', chain: 'base' }
  for (const [name, question] of Object.entries(questions)) {
    const { messages } = promptOf(question, args) ?? { messages: [] }
    const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('')
    expect(text, name).toContain('0xaa')
    for (const tool of text.match(/\b(get|list)[A-Z]\w+/g) ?? []) expect(tools.has(tool), tool).toBe(true)
    expect(promptOf(question, {}), name).toBeUndefined()
  }
  expect(resourceList.map(({ uri }) => readingOf(uri)?.endpoint)).toEqual(['listChains'])
})
