import { isObject, type PlainObject } from './plain-answer.ts'
import type { SplitAnswer } from './split-answer.ts'

/** Characters of JSON per answer: about a quarter as many tokens. */
export const ANSWER_CHARS = 32_000
/** Shares of `about` and of one item. */
const ABOUT_CHARS = 20_000
const ITEM_CHARS = 8_000
const FRAME_CHARS = 1_000
/** Lengths of lists within a part, tried in turn. Ten wallets fit all but the last ones. */
const LENGTHS = [100, 50, 25, 12, 5, 2, 1, 0]

/** `more`: items left out after those shown. */
export type FittedAnswer = { about: PlainObject; items: unknown[]; shown: number; more: number }

/** Cuts to the budget, from item `skip` on. Shows at least one item if there is one. */
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

/** Shortens lists until the value fits. A field next to a cut list counts what was cut. */
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
