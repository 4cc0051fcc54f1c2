import { isObject, type PlainObject } from './plain-answer.ts'
import type { SplitAnswer } from './split-answer.ts'

/** The most characters of JSON that a tool answers with: about a quarter as many tokens. */
export const ANSWER_CHARS = 32_000
/** Of them, what facts of the whole may take, and one item of the list. */
const ABOUT_CHARS = 20_000
const ITEM_CHARS = 8_000
/** The frame around both. */
const FRAME_CHARS = 1_000
/** How many entries a list within a part may have, tried in turn. Ten wallets fit all but the last of them. */
const LENGTHS = [100, 50, 25, 12, 5, 2, 1, 0]

/** What fits of an answer. `more`: items of the answer that were left out after those that are shown. */
export type FittedAnswer = { about: PlainObject; items: unknown[]; shown: number; more: number }

/** Cuts an answer to the budget, from item `skip` on. At least one item is shown where there is one. */
export function fitAnswer({ about, items }: SplitAnswer, skip: number): FittedAnswer {
  const facts = within(about, ABOUT_CHARS) as PlainObject
  let room = ANSWER_CHARS - FRAME_CHARS - sizeOf(facts)
  const shown: unknown[] = []
  for (const item of items.slice(skip)) {
    const fitted = within(item, ITEM_CHARS)
    room -= sizeOf(fitted) + 1
    if (room < 0 && shown.length > 0) break
    shown.push(fitted)
  }
  return { about: facts, items: shown, shown: shown.length, more: Math.max(0, items.length - skip - shown.length) }
}

const sizeOf = (value: unknown) => JSON.stringify(value).length

/** The value with its lists as long as the budget lets them be. A list that was cut says so beside itself. */
function within(value: unknown, chars: number): unknown {
  for (const length of LENGTHS) {
    const cut = shorten(value, length)
    if (sizeOf(cut) <= chars) return cut
  }
  return { leftOut: 'too large to show' }
}

function shorten(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return value.slice(0, length).map((part) => shorten(part, length))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const more = Array.isArray(part) ? part.length - length : 0
      return [[name, shorten(part, length)], ...(more > 0 ? [[`${name}More`, more]] : [])]
    }),
  )
}
